import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { school } from '../../helpers/school.ts'
import { baseUrl, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

beforeEach(() => {
  const created = { berlin: '2025-12-31T23:00:00.000Z', utc: '2026-01-01T00:00:00.000Z' }
  const rooms = Object.entries(created).map(([id, created_at]) => [
    id,
    { room: { created_at, terminated_at: null } },
  ])
  school(world, Object.fromEntries(rooms))
})

const before = ['rooms', 'list', '-o', 'ids', '--where', 'created_at<2026-01-01']
const list = async (flags: readonly string[], env = {}) => {
  const { code, stdout, stderr } = await world.run([...before, ...flags], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('a date in --where', () => {
  test('rooms list --where interprets a date in the time zone of this machine by default', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await list([])).toBe('berlin\n')
    vi.stubEnv('TZ', 'Europe/Berlin')
    expect(await list([])).toBe('')
  })

  test('rooms list --where prefers --time-zone to MEETROOM_TIME_ZONE, and both to the profile', async () => {
    mkdirSync(world.configDir, { recursive: true })
    const profile = { base_url: baseUrl, api_key: world.apiKey, api_key_origin: 'https://meet.test' }
    const profiles = { default: { ...profile, time_zone: 'Europe/Berlin' } }
    writeFileSync(join(world.configDir, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
    const stored = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
    expect(await list([], stored)).toBe('')
    expect(await list([], { ...stored, MEETROOM_TIME_ZONE: 'utc' })).toBe('berlin\n')
    expect(await list(['--time-zone', 'europe/berlin'], { ...stored, MEETROOM_TIME_ZONE: 'utc' })).toBe('')
  })

  test('rooms list --where interprets “today” in the time zone of --time-zone', async () => {
    const { stdout } = await world.run(
      'rooms list -o ids --where created_at>=2026-01-01 --where created_at<=today --time-zone Asia/Kolkata',
    )
    expect(stdout).toBe('berlin\nutc\n')
  })

  test('rooms list --where interprets a time without a UTC offset in the time zone of --time-zone', async () => {
    const at = (zone: string) =>
      world.run(['rooms', 'list', '-o', 'ids', '--where', 'created_at=2026-01-01 00:00', '--time-zone', zone])
    expect([(await at('Europe/Berlin')).stdout, (await at('utc')).stdout]).toEqual(['berlin\n', 'utc\n'])
  })
})

test.each([
  [
    ['--time-zone', 'Berlin'],
    {},
    '--time-zone',
    'Berlin',
    'hint: did you mean: meetroom rooms list --time-zone Europe/Berlin --base-url https://meet.test/v1\n',
  ],
  [
    [],
    { MEETROOM_TIME_ZONE: '+02:00' },
    'MEETROOM_TIME_ZONE',
    '+02:00',
    'hint: export MEETROOM_TIME_ZONE=Etc/GMT-2\n',
  ],
  [['--time-zone', 'Mars/Olympus'], {}, '--time-zone', 'Mars/Olympus', ''],
])(
  'rooms list exits 2 for an invalid time zone in the flags %j or the environment %j',
  async (flags, env, from, text, hint) => {
    const { code, stderr } = await world.run(['rooms', 'list', ...flags], { env })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: ${from}: the time zone must be an IANA name such as Europe/Berlin, or utc, not “${text}”\n${hint}`,
    })
    expect(world.requests).toEqual([])
  },
)

describe('the resolved times of --where conditions', () => {
  const terminate = (...flags: string[]) => ['rooms', 'terminate', '--time-zone', 'Europe/Berlin', ...flags]

  test.each([
    ['created_at<2026-01-01', 'created_at < 2026-01-01T00:00:00+01:00 (Europe/Berlin)'],
    ['created_at<=2026-01-01', 'created_at < 2026-01-02T00:00:00+01:00 (Europe/Berlin)'],
    ['created_at>2026-07-01', 'created_at >= 2026-07-02T00:00:00+02:00 (Europe/Berlin)'],
    ['created_at>=yesterday', 'created_at >= 2026-01-01T00:00:00+01:00 (Europe/Berlin)'],
    [
      'created_at=2026-03-29',
      '2026-03-29T00:00:00+01:00 <= created_at < 2026-03-30T00:00:00+02:00 (Europe/Berlin)',
    ],
    [
      'created_at!=today',
      'created_at < 2026-01-02T00:00:00+01:00 or >= 2026-01-03T00:00:00+01:00 (Europe/Berlin)',
    ],
    ['created_at<2026-01-01T08:00Z', 'created_at < 2026-01-01T09:00:00+01:00 (Europe/Berlin)'],
    ['age>1d', 'created_at < 2026-01-01T04:04:05.678+01:00 (Europe/Berlin)'],
    ['idle>1d', 'idle_since < 2026-01-01T04:04:05.678+01:00 (Europe/Berlin)'],
  ])(
    'rooms terminate --dry-run prints the resolved times of the condition %s',
    async (condition, expected) => {
      const { code, stderr } = await world.run(terminate('--where', condition, '--dry-run'))
      expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 0, first: `selected by ${expected}` })
    },
  )

  test('rooms terminate --dry-run prints no resolved times for patterns or empty values', async () => {
    const { stderr } = await world.run(
      terminate(
        ...['name~x', 'terminated_at=', 'created_at~2026-01-31'].flatMap((c) => ['--where', c]),
        '--dry-run',
      ),
    )
    expect(stderr).not.toContain('selected by')
  })

  test('rooms terminate shows the resolved times of --where conditions in its prompt', async () => {
    const { host, done } = world.start(
      terminate('--where', 'created_at<2026-01-01T00:30', '--where', 'age<90d'),
      { tty: true, columns: 400 },
    )
    host.type('n\n')
    const { code, stderr } = await done
    expect(code).toBe(10)
    expect(stderr).toContain(
      'selected by created_at < 2026-01-01T00:30:00+01:00 (Europe/Berlin) and ' +
        'created_at > 2025-10-04T05:04:05.678+02:00 (Europe/Berlin), at https://meet.test (profile default)?',
    )
  })
})

test('config get time_zone prints the value of --time-zone, or by default the time zone of this machine', async () => {
  const zoneOf = async (...flags: string[]) =>
    JSON.parse((await world.run(['config', 'get', 'time_zone', '--json', ...flags])).stdout)
  expect(await zoneOf()).toEqual({ key: 'time_zone', value: 'UTC', origin: 'default' })
  expect(await zoneOf('--time-zone', 'Asia/Kolkata')).toEqual({
    key: 'time_zone',
    value: 'Asia/Kolkata',
    origin: '--time-zone',
  })
})
