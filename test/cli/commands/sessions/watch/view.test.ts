import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Screen } from '../../../../../src/cli/commands/sessions/watch/room-view.ts'
import { visible } from '../../../../../src/cli/output/terminal/visible.ts'
import { Emulator } from '../../../../helpers/emulator.ts'
import { type TestHost, testNow } from '../../../../helpers/host.ts'
import { hostileText } from '../../../../helpers/hostile.ts'
import { harmIn } from '../../../../helpers/terminal.ts'
import { away, session, watchedRoom } from '../../../../helpers/watched-room.ts'
import { view } from '../../../../helpers/watched-view.ts'
import { sized } from '../../../../suites/size.ts'

const at = (minutes: number) => new Date(testNow + minutes * 60_000).toISOString()
const ada = session('s1', { name: 'Ada Lovelace', user_id: 'ada', connected_at: at(-23) })
const grace = session('s2', { name: 'Grace Hopper', user_id: 'grace', connected_at: at(-2) })

describe('contents of the sessions watch view', () => {
  test('the sessions watch view shows participants with start time and duration, and the latest changes', async () => {
    const { code, screens, last, stderr } = await view([
      { sessions: [grace, ada] },
      { sessions: [ada, grace, session('s3', { user_id: null, connected_at: at(0) })] },
      { sessions: [ada] },
    ])
    const head = `NAME          USER ID  MEMBER ID  SINCE  MINUTES
────────────  ───────  ─────────  ─────  ───────
Ada Lovelace  ada      m-s1       02:41  23`
    expect(screens[0]).toBe(`Standup · active · 2 online
${head}
Grace Hopper  grace    m-s2       03:02  2

press q to quit`)
    expect(screens[1]).toBe(`Standup · active · 3 online
NAME                   USER ID  MEMBER ID  SINCE  MINUTES
─────────────────────  ───────  ─────────  ─────  ───────
Ada Lovelace           ada      m-s1       02:41  23
Grace Hopper           grace    m-s2       03:02  2
anonymous participant           m-s3       03:04  0

03:04:07  anonymous participant joined

press q to quit`)
    const end = `Standup · active · 1 online
${head}

03:04:07  anonymous participant joined
03:04:09  Grace Hopper left after 2 min
03:04:09  anonymous participant left after 4 s`
    expect(screens[2]).toBe(`${end}\n\npress q to quit`)
    // The last screen remains, without the hint “press q to quit”.
    expect({ code, last, stderr }).toEqual({ code: 0, last: end, stderr: '' })
  })

  test('the sessions watch view shows changes of the room name and status', async () => {
    const { screens } = await view([
      {},
      { room: { name: 'Retro' } },
      { room: { name: 'Retro', terminated_at: at(0) } },
      { room: { name: 'Retro' } },
      { room: { name: 'Sprint', terminated_at: at(0) } },
      { room: { name: 'Sprint', terminated_at: at(1) } },
    ])
    expect(screens[5]).toContain(
      '\n03:04:11  the room was reopened\n03:04:13  the room is now called “Sprint” and was terminated\n\n',
    )
    expect(screens[0]).toBe('Standup · active · 0 online\nnobody is in the room\n\npress q to quit')
    expect(screens[2]?.split('\n')[0]).toBe('Retro · terminated · 0 online')
    expect(screens[3]).toBe(`Retro · active · 0 online
nobody is in the room

03:04:07  the room is now called “Retro”
03:04:09  the room was terminated
03:04:11  the room was reopened

press q to quit`)
  })

  test('the sessions watch view shows a lost connection and its recovery', async () => {
    const { screens, last } = await view([{}, { instead: away() }, {}], { line: '--retries 0' })
    const lost =
      'connection lost at 2026-01-02 03:04:07, retrying: no response from meet.test: connection refused'
    expect(screens[1]).toBe(`${lost.slice(0, 80)}
${lost.slice(80)}
Standup · active · 0 online
connection lost at 03:04:07, retrying
nobody is in the room

press q to quit`)
    expect(last).toBe(`${lost.slice(0, 80)}
${lost.slice(80)}
connected again after 0.2 s
Standup · active · 0 online
nobody is in the room`)
  })

  test('the sessions watch view shows the date of a start on an earlier day', async () => {
    const { screens } = await view([
      {
        sessions: [
          session('a', { connected_at: at(-1500), name: 'A' }),
          session('b', { connected_at: null }),
        ],
      },
    ])
    expect(screens[0]).toContain('2026-01-01 02:04  1500')
    expect(screens[0]).toMatch(/u-b +m-b$/m)
  })

  test('the sessions watch view applies --columns and --no-header', async () => {
    const { screens } = await view([{ sessions: [ada] }], {
      line: '--columns session_id,minutes --no-header',
    })
    expect(screens[0]).toBe('Standup · active · 1 online\ns1  23\n\npress q to quit')
  })

  test('the sessions watch view truncates a long room name, and shows the ID of a room without a name', async () => {
    const nameless = await view([{ room: { name: null } }])
    expect(nameless.screens[0]?.split('\n')[0]).toBe('r1 · active · 0 online')
    const long = await view([{ room: { name: 'N'.repeat(500) } }])
    expect(long.screens[0]?.split('\n')[0]).toBe(`${'N'.repeat(60)}… · active · 0 online`.slice(-80))
  })
})

describe('the sessions watch view', () => {
  const crowd = Array.from({ length: 10_000 }, (_, i) =>
    session(i, { name: `N${i}`, connected_at: at(-i / 100) }),
  )

  test.each([
    [200, 50],
    [80, 24],
    [40, 12],
    [30, 8],
    [12, 5],
    [3, 2],
    [1, 1],
  ])('the sessions watch view fits a window of %i × %i characters', async (columns, rows) => {
    const looks = [{ sessions: crowd }, { sessions: [] }, { sessions: crowd.slice(0, 3) }]
    const { screens, terminal } = await view(looks, { columns, rows })
    for (const screen of screens) {
      expect(screen.split('\n').length).toBeLessThanOrEqual(Math.max(1, rows - 1))
      for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    }
    if (rows > 1) expect(terminal.scrolled).toEqual([])
  })

  test('the sessions watch view shows the participants that fit, and the number of the others', async () => {
    const { screens } = await view([{ sessions: crowd }], { rows: 12 })
    expect(screens[0]).toBe(`Standup · active · 10,000 online
NAME   USER ID  MEMBER ID  SINCE  MINUTES
─────  ───────  ─────────  ─────  ───────
N9999  u-9999   m-9999     01:24  99
N9998  u-9998   m-9998     01:24  99
N9997  u-9997   m-9997     01:24  99
N9996  u-9996   m-9996     01:24  99
N9995  u-9995   m-9995     01:24  99
…and 9,995 more

press q to quit`)
  })

  test('the sessions watch view redraws only changed lines, and only after a change', async () => {
    const { host } = await view([{ sessions: [ada] }, { sessions: [ada] }, { sessions: [ada, grace] }])
    const drawn = host.stdout.chunks.map(String)
    expect(drawn).toHaveLength(3)
    expect(drawn[1]).toContain('2 online')
    expect(drawn[1]).not.toContain('Lovelace')
  })

  test('the sessions watch view redraws after a resize of the window', async () => {
    const resize = (columns: number, rows: number) => (host: TestHost, terminal: Emulator) => {
      terminal.resize(columns, rows)
      host.stdout.resize(columns, rows)
    }
    const looks = Array.from({ length: 4 }, () => ({ sessions: [ada, grace] }))
    const { screens } = await view(looks, { meanwhile: [resize(28, 10), resize(200, 30), resize(200, 5)] })
    expect(screens[1]).toBe(`Standup · active · 2 online
NAME          USER ID
────────────  ───────
Ada Lovelace  ada
Grace Hopper  grace

press q to quit`)
    expect(screens[2]).toBe(screens[0])
    expect(screens[3]).toBe(
      `Standup · active · 2 online\nAda Lovelace  ada    m-s1  02:41  23\nGrace Hopper  grace  m-s2  03:02  2`,
    )
  })

  test.each(['q', 'Q', '\u0003', '\u0004'])(
    'the sessions watch view closes at the key %j and turns raw mode off',
    async (key) => {
      const looks = Array.from({ length: 5 }, () => ({}))
      const { code, screens, raw, stderr } = await view(looks, { meanwhile: [(host) => host.type(key)] })
      expect({ code, looks: screens.length, raw, stderr }).toEqual({
        code: 0,
        looks: 1,
        raw: [true, false],
        stderr: '',
      })
    },
  )

  test.each([
    ['ends', (host: TestHost) => host.hangUp()],
    ['fails', (host: TestHost) => void host.stdin.emit('error', new Error('EIO'))],
  ])('the sessions watch view closes when standard input %s', async (_, goAway) => {
    const looks = Array.from({ length: 5 }, () => ({}))
    const { code, screens, stderr } = await view(looks, { meanwhile: [goAway] })
    expect({ code, looks: screens.length, stderr }).toEqual({ code: 0, looks: 1, stderr: '' })
  })

  test.each([20, 40, 120])(
    'the sessions watch view redacts an API key in responses at a width of %i columns',
    async (columns) => {
      const key = 'sk_live_0123456789abcdef'
      const room = { name: `x${key}`, status: key, terminated_at: key }
      const person = session(key, { name: `${'x'.repeat(30)}${key}`, user_id: key, member_id: key })
      const looks = [{ sessions: [], room }, { sessions: [person], room }, { room: { name: key } }]
      const { stdout, stderr } = await view(looks, { columns, env: { MEETROOM_API_KEY: key } })
      expect(stdout).toContain('[API')
      expect(stdout + stderr).not.toContain(key.slice(0, 8))
    },
  )

  test('the sessions watch view ignores keys other than the exit keys', async () => {
    const keys = ['x', '\r', '\u001b[A', '\u001bOq', ' ']
    const typed = (host: TestHost) => keys.forEach(host.type)
    const { screens, last, raw } = await view([{}, {}], { meanwhile: [typed] })
    expect({ screens, raw }).toEqual({ screens: Array(3).fill(screens[0]), raw: [true, false] })
    expect(last).toBe('Standup · active · 0 online\nnobody is in the room')
  })

  test('the sessions watch view keeps raw mode off with MEETROOM_NO_INPUT', async () => {
    const { screens, raw } = await view([{}], { env: { MEETROOM_NO_INPUT: '1' } })
    expect({ raw, foot: screens[0]?.split('\n').at(-1) }).toEqual({ raw: [], foot: 'press ^C to quit' })
  })

  test('the sessions watch view turns raw mode off when the room is deleted', async () => {
    const gone = { status: 404, headers: {}, body: Buffer.from('{"error":{"code":"not_found"}}') }
    const { start, world } = await watchedRoom([{}, {}])
    const { intercept } = world
    world.intercept = async (request, next, signal) => {
      const looks = world.requests.filter(({ url }) => url.endsWith('/rooms/r1')).length
      return looks > 1 && request.url.endsWith('r1')
        ? gone
        : ((await intercept?.(request, next, signal)) ?? next())
    }
    const { host, done } = start('', { tty: true })
    const raw: boolean[] = []
    Object.assign(host.stdin, { setRawMode: (isRaw: boolean) => raw.push(isRaw) })
    expect(await done).toMatchObject({ code: 3, stderr: expect.stringContaining('no such room: r1') })
    expect(raw).toEqual([true, false])
  })

  test.each([{ line: '--json' }, { env: { TERM: 'dumb' } }])(
    'sessions watch on a terminal prints JSON lines instead of the view with %j',
    async (options) => {
      const { stdout } = await view([{}], options)
      expect(stdout.split('\n').map((line) => line && JSON.parse(line).event)).toEqual(['room', 'ready', ''])
    },
  )

  test('the sessions watch view escapes control characters in text from the service', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostileText, { minLength: 2, maxLength: 2 }),
        async ([one = '', two = '']) => {
          const hostile = session(`1${one}`, { name: one, user_id: two, member_id: one, connected_at: two })
          const looks = [
            { sessions: [hostile], room: { name: one, terminated_at: null } },
            { sessions: [], room: { name: two, terminated_at: two } },
            { instead: { status: 503, headers: {}, body: Buffer.from(two) } },
            {},
          ]
          const { stdout, stderr } = await view(looks, { line: '--retries 0' })
          expect(harmIn(stdout, true)).toBeUndefined()
          expect(harmIn(stderr, true)).toBeUndefined()
        },
      ),
      { numRuns: sized(4, 40) },
    )
  })
})

test('the sessions watch view shows the last drawn lines after random draws and resizes', async () => {
  const lines = fc.array(fc.stringMatching(/^[a-z]{0,12}$/), { maxLength: 7 })
  const step = fc.record({
    lines,
    size: fc.option(fc.tuple(fc.integer({ min: 12, max: 20 }), fc.integer({ min: 8, max: 12 }))),
    gives: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const terminal = new Emulator(16, 10)
      const screen = new Screen(terminal, async (text) => terminal.write(text))
      for (const { lines, size, gives } of steps) {
        if (size) terminal.resize(...size)
        if (gives) {
          await screen.clear()
          expect(terminal.screen).toBe('')
        }
        await screen.draw(lines.map(visible))
        expect(terminal.screen).toBe(lines.join('\n').trimEnd())
      }
      expect(terminal.scrolled).toEqual([])
    }),
  )
})
