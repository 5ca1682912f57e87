import { describe, expect, test } from 'vitest'
import { allCalls, prepare, stays } from '../../helpers/calls.ts'
import { leaves } from '../../helpers/tree.ts'

async function findCallsWithFlag(flag: string) {
  const calls = await allCalls()
  return (await leaves()).flatMap(({ words, command }) => {
    if (flag !== '--columns' && !command.options.some(({ long }) => long === flag)) return []
    const name = words.join(' ')
    const own = calls.filter((line) => line === name || line.startsWith(`${name} `))
    // A call takes either IDs or `--where`, so a call without IDs is needed.
    const chosen =
      own.find((line) => line.includes(' --where ')) ?? (name === 'sessions report' ? name : undefined)
    const call = (flag === '--where' ? chosen : undefined) ?? own[0] ?? name
    return [{ name, call: call.replace(/ --where \S+/, '') }]
  })
}

/** Values of conditions, by field and operator. */
const values: [field: RegExp, value: string][] = [
  [/^(age|idle)/, '1d'],
  [/(_at|_active|^time)<=$/, '2026-01-01'],
  [/>=$/, '1'],
]
const completed = (field: string) => `${field}${values.find(([like]) => like.test(field))?.[1] ?? ''}`

describe.each(['--where', '--for', '--sort', '--count-by', '--columns'])(
  'completion candidates after %s',
  (flag) => {
    test(`commands accept the completion candidates after ${flag}`, async () => {
      const tried = new Set<string>()
      for (const { name, call } of await findCallsWithFlag(flag)) {
        const { world, argvOf } = await prepare()
        const { stdout } = await world.run(['__complete', 'fish', '--', `meetroom ${name} ${flag} `])
        const offered = stdout
          .split('\n')
          .slice(1, -1)
          .map((line) => line.split('\t')[0] ?? '')
        if (offered.length === 0 || stays.test(call)) continue
        tried.add(name)
        const given =
          flag === '--where' || flag === '--for'
            ? offered.flatMap((field) => [flag, completed(field)])
            : flag === '--count-by'
              ? [flag, offered.at(-1) ?? '']
              : [flag, offered.join()]
        // Without these variables, the current profile applies, which has a template for links.
        const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
        const { code, stderr } = await world.run([...argvOf(`${call} --yes --show-tokens`), ...given], {
          env,
        })
        expect(code, `${call} ${given.join(' ')}: ${stderr}`).not.toBe(2)
      }
      expect(tried.size).toBeGreaterThan(0)
    })
  },
)

test('completion of fields for members list --all-rooms offers room_name instead of type', async () => {
  const { world } = await prepare()
  for (const flag of ['--where', '--sort', '--count-by', '--columns']) {
    const words = `meetroom members list --all-rooms ${flag} `
    const { stdout } = await world.run(['__complete', 'fish', '--', words])
    expect(stdout, flag).toMatch(/^room_name\b/m)
    expect(stdout, flag).not.toMatch(/^type\b/m)
  }
})
