import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { allCalls, needsControl, prepare, stays } from '../../../helpers/calls.ts'
import { leaves } from '../../../helpers/tree.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

type Schema = Record<string, any>

const { stdout } = await (await createWorldOutside()).run('schema')
const schemas: Record<string, Schema> = JSON.parse(stdout).$defs

/** Creates a minimal world for the code outside tests, because `createWorld` works only in a test. */
async function createWorldOutside() {
  const { main } = await import('../../../../src/main.ts')
  const { testHost } = await import('../../../helpers/host.ts')
  return {
    async run(line: string) {
      const host = testHost()
      await main(line.split(' '), host)
      return { stdout: host.stdout.text }
    },
  }
}

function findProblem(schema: Schema | undefined, value: unknown): string | undefined {
  if (!schema) return 'no schema'
  const { $schema, ...rest } = schema
  const { error } = z.fromJSONSchema(rest).safeParse(value)
  return error && z.prettifyError(error)
}

/** Parses an output: one document, or one document per line. */
function parseDocuments(text: string): unknown[] {
  if (text.trim() === '') return []
  try {
    return [JSON.parse(text)]
  } catch {
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
}

/** Commands that print nothing, or no JSON. */
const silent =
  /^(auth (login|logout)|profiles (use|protect|unprotect|remove)|config (set|unset|path)|cache warm|version|help|completion|__complete)$/

test('every command with JSON output has a JSON Schema', async () => {
  const names = (await leaves()).map(({ words }) => words.join(' '))
  expect(Object.keys(schemas).sort()).toEqual(
    [...names.filter((name) => !silent.test(name)), 'error', 'workspace'].sort(),
  )
})

const schemaOf = (call: string) =>
  Object.entries(schemas).find(([known]) => call === known || call.startsWith(`${known} `))?.[1]

// `-i` prints headers, and `--print-env` prints a script.
test.each((await allCalls()).filter((call) => schemaOf(call) && !/ -i|--print-env/.test(call)))(
  '%s --json prints output and errors that match their schemas',
  async (call) => {
    const { world, argvOf } = await prepare()
    const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
    const { host, done } = world.start(argvOf(`${call} --yes --json`), { env, stdin: world.apiKey })
    if (stays.test(call)) setTimeout(() => host.signal('SIGINT'), 50).unref()
    const { stdout, stderr } = await done
    const documents = parseDocuments(stdout)
    if (!stays.test(call) && !needsControl.test(call)) expect(documents).not.toEqual([])
    const errors = parseDocuments(stderr.replace(/^(?!\{).*\n/gm, ''))
    expect([...documents, ...errors]).not.toEqual([])
    for (const document of documents) expect(findProblem(schemaOf(call), document)).toBeUndefined()
    for (const error of errors) expect(findProblem(schemas['error'], error)).toBeUndefined()
  },
)

test.each([
  'rooms list --count',
  'rooms list --count-by type',
  'users list --all',
  'config list --show-origin',
  'sessions report --all-rooms --absent',
  'sessions report --all-rooms --by room',
  'users delete ada grace --yes',
])('the JSON output of %s matches its schema', async (line) => {
  const { world, argvOf } = await prepare()
  const { code, stdout } = await world.run(argvOf(`${line} --json`))
  expect(code).toBe(0)
  const name = line.split(' ').slice(0, 2).join(' ')
  expect(findProblem(schemas[name], JSON.parse(stdout))).toBeUndefined()
})

describe('error schema', () => {
  test.each([
    ['rooms get nope', undefined],
    ['rooms list --limit x', undefined],
    ['users delete ada', undefined],
    ['rooms get r', answer(401, { error: 'no' })],
    ['rooms get r --retries 0', answer(502, 'gone')],
    ['users update ada --name N --retries 0', answer(502, 'gone')],
    ['rooms create --name N --type open', answer(200, 'what')],
  ])('the JSON error of “%s” matches the error schema', async (line, response) => {
    const world = await createWorld()
    await world.send('POST', '/users', { user_id: 'ada' })
    if (response) world.intercept = async () => response
    const { stderr } = await world.run(`${line} --json`)
    const [error = ''] = stderr.split('\n').filter((line) => line.startsWith('{'))
    expect(findProblem(schemas['error'], JSON.parse(error))).toBeUndefined()
    expect(Object.keys(schemas['error']?.['properties'].error.properties)).toEqual(
      expect.arrayContaining(Object.keys(JSON.parse(error).error)),
    )
  })

  test('the error schema lists the 19 error codes', () => {
    expect(schemas['error']?.['properties'].error.properties.code.enum.toSorted()).toEqual([
      ...[
        'auth',
        'bug',
        'condition',
        'confirmation',
        'conflict',
        'filter_ignored',
        'incomplete',
        'interrupted',
      ],
      ...[
        'network',
        'not_applied',
        'not_found',
        'output',
        'partial',
        'refused',
        'service',
        'unhealthy',
        'unknown_outcome',
        'usage',
        'wrong_base_url',
      ],
    ])
  })
})

test('the JSON Schemas reject documents with missing or invalid fields', () => {
  expect(findProblem(schemas['rooms list'], { rooms: [{ id: 7 }] })).toBeDefined()
  expect(findProblem(schemas['rooms list'], {})).toBeDefined()
  expect(findProblem(schemas['auth status'], { profile: 'p' })).toBeDefined()
  expect(
    findProblem(schemas['error'], { error: { code: 'no', message: '', retryable: false } }),
  ).toBeDefined()
})

test('schema prints the JSON Schema of a command, or an error for a name without a schema', async () => {
  const world = await createWorld()
  for (const line of ['schema rooms list', 'schema room ls'])
    expect(JSON.parse((await world.run(line)).stdout)).toEqual(schemas['rooms list'])
  expect(await world.run('schema profiles use')).toMatchObject({
    code: 2,
    stderr:
      'error: “profiles use” does not print JSON\n' +
      'hint: list the schemas with: meetroom schema --query \'keys("$defs")\'\n',
  })
  for (const argv of [
    ['schema', 'rooms', 'lst'],
    ['schema', 'rooms lst'],
    ['schema', 'rooms', 'list', 'lst'],
  ])
    expect((await world.run(argv)).stderr).toMatch(/^error: no command “rooms (list )?lst”\n/)
})
