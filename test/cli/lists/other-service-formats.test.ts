import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { formats } from '../../../src/config/values.ts'
import { type Differences, errorShapes, otherService } from '../../helpers/other-service.ts'
import { createWorld, type World } from '../../helpers/world.ts'
import { share } from '../../suites/size.ts'

const everyDifference = 'that differs in many ways'

const services: Record<string, Differences> = {
  'whose IDs are numbers': { ids: 'number' },
  'whose IDs are UUIDs': { ids: 'uuid' },
  'that sends numbers as text': { numbersAsText: true, maxLimit: 2 },
  'that sends booleans as text': { booleansAsText: true, tellsTerminated: true },
  'whose lists omit fields': { minimalLists: true },
  [everyDifference]: {
    ...{ minimalLists: true, leavesNullsOut: true, tellsTerminated: true, ids: 'number', maxLimit: 2 },
    ...{ numbersAsText: true, booleansAsText: true },
    unlisted: { metadata: { tags: ['a', { deep: null }] } },
  },
}

let world: World
/** Room IDs of the service, by room name. */
let ids: Record<string, string>
const all = ['Delta', 'Gamma', 'Beta', 'Alpha']

async function start(differences: Differences): Promise<void> {
  world = await createWorld()
  const made: Record<string, string> = {}
  for (const [name, fields] of Object.entries({
    Alpha: { type: 'private' },
    Beta: { layout: 'grid' },
    Gamma: { max_meeting_seconds: 60 },
    Delta: { type: 'private', layout: 'grid' },
  })) {
    const body = { name, type: 'open', record: true, ...fields }
    made[name] = (await world.send('POST', '/rooms', body)).body.room.id
  }
  await world.send('PUT', `/rooms/${made['Gamma']}`, { is_terminated: true })
  const { idOf } = otherService(world, differences)
  ids = Object.fromEntries(Object.entries(made).map(([name, id]) => [name, idOf(id)]))
}

const readers: Record<(typeof formats)[number], { flags: string; names: (stdout: string) => string[] }> = {
  table: { flags: '--columns name --no-header', names: (stdout) => stdout.split('\n').slice(0, -1) },
  csv: { flags: '--columns name --no-header', names: (stdout) => stdout.split('\r\n').slice(0, -1) },
  tsv: { flags: '--columns name --no-header', names: (stdout) => stdout.split('\n').slice(0, -1) },
  ndjson: { flags: '', names: (stdout) => itemsOf(stdout).map(({ name }) => name) },
  json: {
    flags: '',
    names(stdout) {
      const { rooms, room } = JSON.parse(stdout)
      return (rooms ?? [room]).map(({ name }: { name: string }) => name)
    },
  },
  ids: {
    flags: '',
    names: (stdout) =>
      stdout
        .split('\n')
        .slice(0, -1)
        .map((id) => Object.keys(ids).find((name) => ids[name] === id) ?? id),
  },
}

const itemsOf = (ndjson: string): any[] =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

async function namesOf(command: string, format: (typeof formats)[number]): Promise<string[]> {
  const { flags, names } = readers[format]
  const { code, stdout, stderr } = await world.run(`${command} -o ${format} ${flags}`.trim())
  expect(code, stderr).toBe(0)
  return names(stdout)
}

describe.each(Object.entries(services))('services %s', (name, differences) => {
  beforeEach(() => start(differences))

  // Formats do not depend on the service, so only one service is tested with several formats.
  const index = Object.keys(services).indexOf(name)
  const met = name === everyDifference ? share(formats, index, 2) : formats.slice(index, index + 1)
  describe.each(met)('the output with -o %s', (format) => {
    test(`with a service ${name} and -o ${format}, rooms list and rooms get print the selected rooms`, async () => {
      for (const [command, names] of Object.entries({
        'rooms list --all': 'Delta Gamma Beta Alpha',
        'rooms list --limit 3': 'Delta Gamma Beta',
        'rooms list --limit 2 --offset 1': 'Gamma Beta',
        'rooms list --where status=terminated': 'Gamma',
        'rooms list --where layout!=grid': 'Gamma Alpha',
        'rooms list --where max_meeting_seconds>=60': 'Gamma',
        'rooms list --where record=true --where type=private': 'Delta Alpha',
      }))
        expect(await namesOf(command, format), command).toEqual(names.split(' '))
      const got = await namesOf(`rooms get ${ids['Gamma']}`, format)
      expect(got).toEqual([format === 'table' ? 'name  Gamma' : 'Gamma'])
    })

    test(`with a service ${name} and -o ${format}, commands that write change only the selected rooms`, async () => {
      for (const [command, names] of Object.entries({
        'rooms terminate --yes --where layout=grid --where status=active': 'Delta Beta',
        [`rooms reopen ${ids['Delta']}`]: 'Delta',
        'rooms delete --yes --where status=terminated': 'Gamma Beta',
        [`rooms delete ${ids['Delta']} --yes`]: 'Delta',
        'rooms list': 'Alpha',
      }))
        expect(await namesOf(command, format), command).toEqual(names.split(' '))
    })

    test(`with a service ${name} and -o ${format}, rooms export prints every room, or exits 2 if the format cannot be imported`, async () => {
      if (format !== 'table' && format !== 'ids')
        return expect(await namesOf('rooms export', format)).toEqual(all)
      expect(await world.run(`rooms export -o ${format}`)).toMatchObject({ code: 2, stdout: '' })
    })

    test(`with a service ${name} and -o ${format}, rooms import creates the rooms`, async () => {
      writeFileSync(join(world.dir, 'rooms.csv'), 'name,type,record\nEpsilon,open,true\n')
      const { code, stdout, stderr } = await world.run(`rooms import rooms.csv -o ${format}`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: 'imported 1 of 1 room\n' })
      const [made] = itemsOf((await world.run('rooms list --limit 1 -o ndjson')).stdout)
      expect(made.name).toBe('Epsilon')
      const result = { row: 1, status: 'ok', id: String(made.id) }
      const printed: Record<typeof format, string> = {
        table: '',
        csv: `row,key,status,id,error\r\n1,,ok,${made.id},\r\n`,
        tsv: `row\tkey\tstatus\tid\terror\n1\t\tok\t${made.id}\t\n`,
        ndjson: `${JSON.stringify(result)}\n`,
        json: `{"results":[${JSON.stringify(result)}]}\n`,
        ids: `${made.id}\n`,
      }
      expect(stdout).toBe(printed[format])
    })
  })

  test.each(share(['csv', 'ndjson', 'json'], index, 3))(
    `with a service ${name}, rooms import accepts a %s export of the same service with --if-exists skip and overwrite`,
    async (format) => {
      const { stdout } = await world.run(`rooms export -o ${format}`)
      writeFileSync(join(world.dir, `rooms.${format}`), stdout)
      const writes = () => world.requests.filter(({ method }) => method !== 'GET').length
      const skipped = await world.run(
        `rooms import rooms.${format} --if-exists skip --no-receipt --ignore-unknown --yes`,
      )
      expect({ code: skipped.code, writes: writes() }, skipped.stderr).toEqual({ code: 0, writes: 0 })
      const overwritten = await world.run(
        `rooms import rooms.${format} --if-exists overwrite --no-receipt --ignore-unknown --yes`,
      )
      expect(overwritten, overwritten.stderr).toMatchObject({ code: 0 })
      expect(await namesOf('rooms list --where status=terminated', 'csv')).toEqual(['Gamma'])
      expect(await namesOf('rooms list --all', 'csv')).toEqual(all)
    },
  )
})

describe.each(Object.keys(errorShapes) as (keyof typeof errorShapes)[])(
  'an error response of the kind “%s”',
  (errors) => {
    beforeEach(() => start({ errors }))

    const index = Object.keys(errorShapes).indexOf(errors)
    const met = ['json', formats[index % formats.length] ?? 'table'] as const

    test.each(met)(
      `an error response of the kind “${errors}” causes an error that names the reason with -o %s`,
      async (format) => {
        const isJson = format === 'json' || format === 'ndjson'
        const [first = ''] = Object.values(ids)
        // A 500 response without JSON may come from a gateway after the change.
        const ofRule = errors === 'text' || errors === 'html' ? 7 : 1
        for (const [command, words, code] of [
          ['rooms list --page-size 5000', 'limit', 1],
          [`rooms update ${first} --name X --set created_at=1`, 'created_at', ofRule],
          [`message send ${ids['Gamma']} hello`, 'terminated', ofRule],
          ['rooms get nowhere', 'no such room: nowhere', 3],
          ['rooms delete nowhere --yes', 'no such room: nowhere', 3],
        ] as const) {
          const ended = await world.run(
            `${command} ${command.startsWith('message') && format === 'ids' ? '' : `-o ${format}`}`.trim(),
          )
          expect({ command, code: ended.code, stdout: ended.stdout }).toEqual({ command, code, stdout: '' })
          if (isJson) expect(JSON.parse(ended.stderr).error.message).toContain(words)
          else expect(ended.stderr).toMatch(new RegExp(`^error: .*${words}`))
        }
      },
    )

    test.each(met)(
      `after an error response of the kind “${errors}”, rooms import with -o %s exits 1 and names the refused field`,
      async (format) => {
        writeFileSync(join(world.dir, 'rooms.csv'), `id,name,type\n${ids['Alpha']},Alpha,public\n`)
        const { code, stdout, stderr } = await world.run(
          `rooms import rooms.csv --if-exists update -o ${format}`,
        )
        expect(code).toBe(1)
        expect(stdout + stderr).toContain('type')
      },
    )
  },
)

describe.each(['empty', 'ok'] as const)('responses “%s” to writes', (writes) => {
  beforeEach(() => start({ writes }))

  test.each(formats)(
    `if responses to writes are “${writes}”, rooms terminate and rooms delete succeed with -o %s`,
    async (format) => {
      expect(await namesOf(`rooms terminate ${ids['Beta']} --yes`, format)).toEqual(['Beta'])
      const { code, stdout } = await world.run(`rooms delete ${ids['Delta']} --yes -o ${format}`)
      expect(code).toBe(0)
      if (format === 'ids') expect(stdout).toBe(`${ids['Delta']}\n`)
      expect(await namesOf('rooms list', 'csv')).toEqual(['Gamma', 'Beta', 'Alpha'])
    },
  )

  test(`if responses to writes are “${writes}”, rooms create exits 7, and its JSON error has accepted: true`, async () => {
    const { code, stdout, stderr } = await world.run('rooms create --name New --type open --json')
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'unknown_outcome', accepted: true })
    expect(await namesOf('rooms list --limit 1', 'csv')).toEqual(['New'])
  })

  test.each(formats)(
    `if responses to writes are “${writes}”, users import with -o %s counts every row as imported`,
    async (format) => {
      writeFileSync(join(world.dir, 'users.csv'), 'user_id,name\nada,Ada\ngrace,Grace\n')
      const { code, stdout, stderr } = await world.run(`users import users.csv -o ${format}`)
      expect({ code, summary: stderr.split('\n').at(-2) }).toEqual({
        code: 0,
        summary: 'imported 2 of 2 users',
      })
      if (format === 'ids') expect(stdout).toBe('ada\ngrace\n')
      else if (format !== 'table') expect(stdout.match(/ok/g)).toHaveLength(2)
      expect((await world.run('users list -o ids')).stdout.split('\n').sort()).toEqual(['', 'ada', 'grace'])
    },
  )
})

test('rooms get prints fields that the API specification does not list', async () => {
  await start(services[everyDifference] ?? {})
  expect((await world.run(`rooms get ${ids['Gamma']}`)).stdout).toContain(
    'metadata             {"tags":["a",{"deep":null}]}\n',
  )
})
