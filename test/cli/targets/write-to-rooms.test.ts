import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createAccessWorld } from '../../helpers/access.ts'
import { lost } from '../../helpers/imports.ts'
import { otherService } from '../../helpers/other-service.ts'
import { perTest } from '../../helpers/per-test.ts'
import { type UseDifferences, withRoomsInUse } from '../../helpers/rooms-in-use.ts'
import { answer } from '../../helpers/world.ts'

const world = perTest(createAccessWorld)

const send = ['message', 'send', '--where', 'type=private', '--text', 'We close']
const create = ['pages', 'create', '--where', 'type=private', '--image', 'https://i.test/a.png']
const messageTo = (room: string) => `POST /rooms/${room}/message {"message":"We close"}`

async function run(argv: readonly string[], ...flags: string[]) {
  const { code, stdout, stderr } = await world.run([...argv, ...flags])
  return { code, stdout, stderr }
}
const parse = (stdout: string): Record<string, any>[] => JSON.parse(stdout).rooms

test('message send to a single room accepts the text in --text', async () => {
  expect(await run(['message', 'send', world.ids.plans, '--text', 'hi', '-q'])).toMatchObject({
    code: 0,
    stdout: 'message  hi\n',
  })
})

describe('message send --where', () => {
  test('message send --where sends the text once to each matching room', async () => {
    const { empty, plans, board } = world.ids
    const { code, stdout, stderr } = await run(send, '--yes', '--json', '--concurrency', '1')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'sent the message to 3 rooms\n' })
    expect(parse(stdout)).toEqual([
      { room_id: empty, room_name: 'Empty', status: 'ok', reason: null },
      { room_id: plans, room_name: 'Plans', status: 'ok', reason: null },
      { room_id: board, room_name: 'Board', status: 'ok', reason: null },
    ])
    expect(world.writes()).toEqual([empty, plans, board].map(messageTo))
  })

  test('message send --where --text - reads the text from stdin', async () => {
    const { code } = await world.run([...send.slice(0, 4), '--text', '-', '--yes', '-q'], { stdin: 'hi\n' })
    expect(code).toBe(0)
    expect(world.writes()[0]).toBe(`POST /rooms/${world.ids.empty}/message {"message":"hi"}`)
  })

  test('message send --where --dry-run prints the requests and sends no write', async () => {
    const { code, stdout, stderr } = await run(send, '--dry-run')
    const { empty, plans, board } = world.ids
    expect(code).toBe(0)
    expect(stderr).toContain('3 rooms match\n')
    expect(stdout.split('\n').slice(0, -1)).toEqual(
      [empty, plans, board].map((room) => messageTo(room).replace('POST ', 'POST https://meet.test/v1')),
    )
    expect(world.writes()).toEqual([])
  })

  test.each([
    [[], 'sending a message to rooms needs confirmation, and there is no terminal for a prompt'],
    [['--yes', '--max', '2'], 'the command would affect 3 rooms, but --max allows 2; nothing was changed'],
  ])('message send --where exits 10 without a write (flags: %j)', async (flags, message) => {
    const { code, stderr } = await run(send, ...flags)
    expect(code).toBe(10)
    expect(stderr).toContain(`error: ${message}\n`)
    expect(world.writes()).toEqual([])
  })

  test('message send --where suggests a command for the failed rooms', async () => {
    const { empty, plans, board } = world.ids
    world.intercept = async (request, next) => {
      if (request.method === 'POST' && request.url.includes(plans))
        return answer(500, { error: { code: 'broken', message: 'it is broken' } })
      const response = await next()
      return request.method === 'POST' && request.url.includes(board) ? lost() : response
    }
    const { code, stdout, stderr } = await run(send, '--yes', '--max', '9', '-o', 'tsv', '--no-header')
    expect(code).toBe(8)
    expect(stdout.split('\n').map((line) => line.split('\t')[2])).toEqual([
      'ok',
      'failed',
      'unknown',
      undefined,
    ])
    expect(world.writes().filter((line) => line === messageTo(empty))).toHaveLength(1)
    expect(stderr).toContain(`id~^(${plans}`)
  })

  test('message send --where excludes rooms with an unknown outcome from the suggested command', async () => {
    const { plans, board } = world.ids
    world.intercept = async (request, next) => {
      if (request.method === 'POST' && request.url.includes(plans)) return answer(502, '<html></html>')
      return request.method === 'POST' && request.url.includes(board)
        ? answer(500, { error: { message: 'it is broken' } })
        : next()
    }
    const { code, stdout, stderr } = await run(
      send,
      '--yes',
      '-o',
      'tsv',
      '--no-header',
      '--concurrency',
      '1',
    )
    expect(code).toBe(8)
    expect(stdout.split('\n').map((line) => line.split('\t')[2])).toEqual([
      'ok',
      'unknown',
      'failed',
      undefined,
    ])
    expect(stderr).toBe(
      'error: sent the message to 1 room; 1 failed; 1 with an unknown outcome\n' +
        'hint: running the command again would repeat the write in the other rooms; to write only to the remaining rooms: ' +
        `meetroom message send --where 'id~^(${board})$' --output tsv --no-header --yes --text 'We close' --concurrency 1 --base-url https://meet.test/v1\n`,
    )
    expect(world.writes()).toHaveLength(3)
  })

  test('message send --where --dry-run with a pattern of two room IDs prints two requests', async () => {
    const { plans, board } = world.ids
    const { stdout } = await run([
      'message',
      'send',
      '--where',
      `id~^(${plans}|${board})$`,
      '--text',
      'x',
      '--dry-run',
    ])
    expect(stdout.split('\n').slice(0, -1)).toHaveLength(2)
  })

  test('message send --where suggests no command for the failed rooms if the text comes from stdin', async () => {
    world.fails(new RegExp(`${world.ids.plans}/message`))
    const { stderr } = await world.run([...send.slice(0, 4), '--text', '-', '--yes'], { stdin: 'hi\n' })
    expect(stderr).toContain('hint: running the command again would repeat the write in the other rooms\n')
  })

  test('message send --where exits 8 without a write if the list of rooms is incomplete', async () => {
    world.intercept = async (request, next) =>
      /\/rooms\?/.test(request.url)
        ? answer(200, {
            rooms: [{ id: world.ids.plans, type: 'private', name: 'Plans' }],
            paging: { total: 40 },
          })
        : next()
    expect((await run(send, '--yes')).code).toBe(8)
    expect(world.writes()).toEqual([])
  })

  test.each([
    [['message', 'send', '--where', 'type=open', 'hello'], 'a room and --where cannot be used together'],
    [['message', 'send', '--where', 'type=open'], '--where needs --text'],
    [['message', 'send', 'r', 'a', '--text', 'b'], 'a text argument and --text cannot be used together'],
    [['message', 'send'], 'the argument “room” is missing'],
    [['message', 'send', 'r'], 'the argument “text” is missing'],
    [['pages', 'create', 'r', '--where', 'type=open'], 'a room and --where cannot be used together'],
    [['pages', 'create'], 'the argument “room” is missing'],
  ])('the invalid command %j exits 2 before the first request', async (argv, message) => {
    const { code, stderr } = await run(argv)
    expect(code).toBe(2)
    expect(stderr).toContain(`error: ${message}\n`)
    expect(world.requests).toEqual([])
  })

  test.each([{ ids: 'number' }, { ids: 'uuid' }, { minimalLists: true }, { writes: 'ok' }] as const)(
    'message send --where sends the message to all matching rooms on a service with %j',
    async (differences) => {
      otherService(world, differences)
      const { code, stdout } = await run(send, '--yes', '--json')
      expect({ code, names: parse(stdout).map(({ room_name }) => room_name) }).toEqual({
        code: 0,
        names: ['Empty', 'Plans', 'Board'],
      })
    },
  )

  test.each([60, 80, 200])(
    'message send --where prints a table that fits a terminal of %i columns',
    async (columns) => {
      const { stdout } = await world.run([...send, '--yes', '--no-color'], { tty: true, columns })
      expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([])
      expect(stdout).toContain('Plans')
    },
  )
})

describe('pages create --where', () => {
  test('pages create --where creates two pages in each of three rooms', async () => {
    const { code, stdout, stderr } = await run(create, '--image', 'https://i.test/b.png', '--yes', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'created 2 pages in each of 3 rooms\n' })
    const rows = parse(stdout)
    expect(rows.map(({ room_name, page_ids }) => [room_name, page_ids.length])).toEqual([
      ['Empty', 2],
      ['Plans', 2],
      ['Board', 2],
    ])
    expect(new Set(rows.flatMap(({ page_ids }) => page_ids)).size).toBe(6)
  })

  test('pages create --where prints page counts in a table, and room IDs with -o ids', async () => {
    const table = await run([...create.slice(0, 3), 'name=Plans', ...create.slice(4)], '--yes')
    expect(table.stdout).toBe(
      [
        'ROOM ID                   ROOM NAME  STATUS  REASON  PAGES',
        '────────────────────────  ─────────  ──────  ──────  ─────',
        `${world.ids.plans}  Plans      ok              1`,
        '',
      ].join('\n'),
    )
    const { empty, plans, board } = world.ids
    expect((await run(create, '--yes', '-o', 'ids')).stdout).toBe(`${[empty, plans, board].join('\n')}\n`)
  })
})

describe('the prompt before a write to several rooms', () => {
  const rooms = [
    {
      room: { id: 'r1', type: 'private', name: 'One' },
      sessions: [
        { id: 's1', user_id: 'ada', member_id: 'm1', disconnected_at: null },
        { id: 's2', user_id: 'ada', member_id: 'm1', disconnected_at: null },
        { id: 's3', user_id: null, member_id: 'm2', disconnected_at: null },
      ],
    },
    {
      room: { id: 'r2', type: 'private', name: 'Two' },
      sessions: [
        { id: 's4', user_id: 'ada', member_id: 'm3', disconnected_at: null },
        { id: 's5', user_id: 'bob', member_id: 'm4', disconnected_at: '2026-01-01T00:00:00.000Z' },
      ],
    },
  ]

  async function ask(argv: readonly string[], differences: UseDifferences = {}): Promise<string> {
    withRoomsInUse(world, rooms, differences)
    const { host, done } = world.start([...argv], { tty: true, columns: 400 })
    setImmediate(() => host.type('0\n'))
    const { code, stderr } = await done
    expect(code).toBe(10)
    expect(world.writes()).toEqual([])
    return stripVTControlCharacters(stderr).replace(/\s+/g, ' ')
  }

  test('the prompt before a write to several rooms counts each online participant once', async () => {
    expect(await ask(send)).toContain(
      'Send “We close” to 2 rooms “One” (r1), “Two” (r2) with 2 participants online, at https://meet.test (profile default). Type 2 to continue:',
    )
    expect(await ask(create)).toContain(
      'Create 1 page in each of 2 rooms “One” (r1), “Two” (r2) with 2 participants online',
    )
  })

  test.each([
    { withoutTotals: true },
    { ignoresFilter: true },
    { leavesNullsOut: true },
    { refusesLimit: true },
  ])(
    'the prompt before a write to several rooms counts online participants on a service with %j',
    async (differences) => {
      expect(await ask(send, differences)).toContain('with 2 participants online')
    },
  )

  test('message send --where prompts with an unknown number of participants if sessions cannot be counted', async () => {
    expect(await ask(send, { ignoresFilter: true, leavesNullsOut: true })).toContain(
      'with an unknown number of participants online',
    )
    const instead = (path: string) =>
      path.endsWith('/sessions') ? answer(500, { error: { message: 'broken' } }) : undefined
    expect(await ask(send, { instead })).toContain('with an unknown number of participants online')
  })

  test('message send --where truncates the message in its prompt to 60 characters', async () => {
    expect(await ask([...send.slice(0, 5), 'x'.repeat(100)])).toContain(`Send “${'x'.repeat(60)}…” to`)
  })
})
