import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import type { HostOptions } from '../../helpers/host.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, baseUrl, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const lines = (text: string) => text.split('\n').slice(0, -1)
const lineOf = ({ method, url }: { method: string; url: string }) => `${method} ${url.slice(baseUrl.length)}`
const writes = () => world.requests.filter(({ method }) => method !== 'GET').map(lineOf)

const room = async (name: string, type = 'private'): Promise<string> =>
  (await world.send('POST', '/rooms', { name, type })).body.room.id
const user = (user_id: string, name?: string) => world.send('POST', '/users', { user_id, name })
async function member(room_id: string, user_id: string): Promise<string> {
  await user(user_id)
  return (await world.send('POST', `/rooms/${room_id}/members`, { user_id })).body.member.id
}
async function rooms(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 1; i <= count; i++) ids.push(await room(`R${i}`))
  return ids
}
const left = async () => (await world.send('GET', '/rooms?limit=1000')).body.rooms.length

const oneLine = (text: string) => stripVTControlCharacters(text).replace(/\s+/g, ' ')

async function runWithInput(text: string, argv: readonly string[], options: HostOptions = {}) {
  const { host, done } = world.start(argv, { tty: true, ...options })
  setImmediate(() => host.type(text))
  const { code, stdout, stderr } = await done
  return { code, stdout, stderr: oneLine(stderr) }
}

describe('the confirmation prompt', () => {
  test('the prompt of rooms delete for one room shows the name and accepts y or n', async () => {
    const id = await room('Weekly')
    const no = await runWithInput('n\n', ['rooms', 'delete', id])
    expect(no).toMatchObject({ code: 10, stdout: '' })
    expect(no.stderr).toContain(`Delete room “Weekly” (${id}), at https://meet.test (profile default)? (y/N)`)
    expect(no.stderr).toMatch(/error: not confirmed; nothing was changed $/)
    expect(no.stderr).not.toContain('✔')
    expect(writes()).toEqual([])
    expect(await runWithInput('y\n', ['rooms', 'delete', id, '-o', 'ids'])).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
    })
    expect(writes()).toEqual([`DELETE /rooms/${id}`])
  })

  test('the prompt of rooms terminate for several rooms requires the number of rooms', async () => {
    const ids = await rooms(3)
    const names = ids.map((id, i) => `“R${i + 1}” (${id})`).join(', ')
    const { code, stderr } = await runWithInput('3\n', ['rooms', 'terminate', ...ids, '-o', 'ids'])
    expect(code).toBe(0)
    expect(stderr).toContain(
      `Terminate 3 rooms ${names}, at https://meet.test (profile default). Type 3 to continue:`,
    )
    expect(stderr).toMatch(/terminated 3 rooms $/)
    expect(writes()).toEqual(ids.map((id) => `PUT /rooms/${id}`))
  })

  test.each(['2\n', '4\n', 'y\n', 'yes\n', '\n', '3 rooms\n', '33\n'])(
    'the prompt of rooms delete for three rooms refuses the input %j',
    async (text) => {
      const ids = await rooms(3)
      const { code, stdout, stderr } = await runWithInput(text, ['rooms', 'delete', ...ids])
      expect({ code, stdout }).toEqual({ code: 10, stdout: '' })
      expect(stderr).toMatch(/error: not confirmed; nothing was changed $/)
      expect(stderr).not.toContain('✔')
      expect(writes()).toEqual([])
    },
  )

  test('the prompt of rooms delete accepts the number of rooms with surrounding spaces', async () => {
    const ids = await rooms(2)
    expect(await runWithInput(' 2 \n', ['rooms', 'delete', ...ids])).toMatchObject({ code: 0 })
    expect(await left()).toBe(0)
  })

  test.each([1, 3])(
    'rooms delete exits 130 without a write after ^C at the prompt (rooms: %i)',
    async (count) => {
      const ids = await rooms(count)
      expect(await runWithInput('\x03', ['rooms', 'delete', ...ids])).toMatchObject({ code: 130, stdout: '' })
      expect(writes()).toEqual([])
    },
  )

  test.each([1, 3])(
    'rooms delete exits 130 without a write after ^D at the prompt (rooms: %i)',
    async (count) => {
      const ids = await rooms(count)
      expect(await runWithInput('\x04', ['rooms', 'delete', ...ids])).toMatchObject({ code: 130, stdout: '' })
      expect(writes()).toEqual([])
    },
  )

  test('the prompt of rooms delete shows the first ten rooms and the number of other rooms', async () => {
    const ids = await rooms(12)
    const { stderr } = await runWithInput('\n', ['rooms', 'delete', ...ids])
    expect(stderr).toContain(`“R10” (${ids[9]}) and 2 more, at https://meet.test (profile default).`)
    expect(stderr).not.toContain('R11')
    expect(stderr).toContain('Delete 12 rooms')
    expect(world.requests).toHaveLength(10)
  })

  test('the prompt of rooms delete counts a repeated ID once', async () => {
    const [one = '', two = ''] = await rooms(2)
    const { stderr } = await runWithInput('2\n', ['rooms', 'delete', one, two, one])
    expect(stderr).toContain('Type 2 to continue:')
    expect(await left()).toBe(0)
  })

  test('the prompts of users delete and members block show the names and IDs', async () => {
    const id = await room('R')
    const members = [await member(id, 'ada'), await member(id, 'grace')]
    await user('alan', 'Alan')
    const users = await runWithInput('\n', ['users', 'delete', 'alan', 'ada'])
    expect(users.stderr).toContain(
      'Delete 2 users “Alan” (alan), ada, at https://meet.test (profile default).',
    )
    const blocked = await runWithInput('2\n', ['members', 'block', id, ...members])
    expect(blocked.stderr).toContain(
      `Block 2 members “ada” (${members[0]}), “grace” (${members[1]}) in room ${id}, at https://meet.test (profile default).`,
    )
    expect(blocked.code).toBe(0)
  })

  test('the prompt of rooms delete shows the current profile', async () => {
    storeProfile({ protected: false })
    const ids = await rooms(2)
    const { stderr } = await runWithInput('\n', ['rooms', 'delete', ...ids], stored)
    expect(stderr).toContain('at https://meet.test (profile production).')
  })

  test('the prompt of rooms delete --local shows the workspace directory', async () => {
    const make = async () =>
      (await world.run('--local rooms create --name L --type open -o ids')).stdout.trim()
    const ids = [await make(), await make()]
    const { code, stderr } = await runWithInput('2\n', ['--local', 'rooms', 'delete', ...ids])
    expect(stderr).toContain(`, in the local workspace in ${join(world.dir, 'data')}.`)
    expect(code).toBe(0)
    expect((await world.run('--local rooms list -o ids')).stdout).toBe('')
  })

  test('the prompt of rooms delete escapes control characters in room names', async () => {
    const ids = [await room('a\u001b[2Jb'), await room('two\nlines')]
    const { host, done } = world.start(['rooms', 'delete', ...ids], { tty: true })
    setImmediate(() => host.type('\n'))
    const { stderr } = await done
    expect(stderr).not.toContain('\u001b[2Jb')
    expect(oneLine(stderr)).toContain(`“a\\u001b[2Jb” (${ids[0]}), “two\\nlines” (${ids[1]})`)
  })

  test('rooms reopen of several rooms needs no confirmation', async () => {
    const ids = await rooms(3)
    expect(await world.run(['rooms', 'reopen', ...ids, '-o', 'ids'])).toMatchObject({ code: 0 })
  })

  test.each(['--dry-run', '--curl'])('rooms delete %s exits 0 without a prompt', async (flag) => {
    const { code, stdout, stderr } = await world.run(['rooms', 'delete', 'r1', 'r2', flag], { tty: true })
    expect({ code, lines: lines(stdout).length, stderr }).toEqual({ code: 0, lines: 2, stderr: '' })
    expect(world.requests).toEqual([])
  })
})

describe('the flags --yes and --max', () => {
  const flagsOf = (text: string) => text.split(' ').filter((word) => word !== '')
  const needsConfirmation = (doing: string) =>
    `error: ${doing} needs confirmation, and there is no terminal for a prompt\nhint: pass --yes to confirm in advance\n`
  const tooMany = (doing: string, count: number) =>
    `error: ${doing} would affect ${count} items, but --yes alone allows 20\n` +
    `hint: pass --max ${count} to affect all items\n`
  const beyond = (verb: string, count: number, max: number) =>
    `error: the command would affect ${count} ${verb.split(' ')[1]}, but --max allows ${max}; nothing was changed\n` +
    `hint: pass --max ${count} to affect all items\n`

  test.each([
    [1, '', needsConfirmation('deleting rooms')],
    [2, '', needsConfirmation('deleting rooms')],
    [2, '--max 5', needsConfirmation('deleting rooms')],
    [21, '--yes', tooMany('deleting rooms', 21)],
    [21, '--yes --max 20', beyond('delete rooms', 21, 20)],
    [3, '--yes --max 2', beyond('delete rooms', 3, 2)],
    [3, '--max 2', beyond('delete rooms', 3, 2)],
  ])(
    'with the room count %i, “rooms delete ROOM… %s” exits 10 without a write',
    async (count, flags, stderr) => {
      const ids = await rooms(count)
      expect(await world.run(['rooms', 'delete', ...ids, ...flagsOf(flags)])).toMatchObject({
        code: 10,
        stdout: '',
        stderr,
      })
      expect(writes()).toEqual([])
    },
  )

  test.each([
    [20, '--yes'],
    [2, '-y --max 2'],
    [21, '--yes --max 21'],
    [25, '--yes --max 1000'],
  ])('rooms delete of %i rooms with %s deletes all rooms', async (count, flags) => {
    const ids = await rooms(count)
    expect(await world.run(['rooms', 'delete', ...ids, ...flagsOf(flags), '-o', 'ids'])).toMatchObject({
      code: 0,
      stdout: ids.map((id) => `${id}\n`).join(''),
      stderr: `deleted ${count} rooms\n`,
    })
    expect(await left()).toBe(0)
  })

  test('rooms delete --max limits items from --where and from standard input', async () => {
    const ids = await rooms(3)
    expect(await world.run('rooms delete --where name~^R --yes --max 2')).toMatchObject({
      code: 10,
      stderr: beyond('delete rooms', 3, 2),
    })
    const stdin = `${ids.join('\n')}\n${ids[0]}\n`
    expect(await world.run('rooms delete - --yes --max 2', { stdin })).toMatchObject({ code: 10 })
    expect(writes()).toEqual([])
    expect(await world.run('rooms delete - --yes --max 3', { stdin })).toMatchObject({ code: 0 })
  })

  test('rooms delete --max 2 exits 10 for three rooms on a terminal without a prompt', async () => {
    const ids = await rooms(3)
    expect(await world.run(['rooms', 'delete', ...ids, '--max', '2'], { tty: true })).toMatchObject({
      code: 10,
    })
    expect(world.requests).toEqual([])
  })

  test('the prompt of rooms delete accepts 25 rooms without --max', async () => {
    const ids = await rooms(25)
    expect(await runWithInput('25\n', ['rooms', 'delete', ...ids])).toMatchObject({ code: 0 })
    expect(await left()).toBe(0)
  })

  test.each([
    ['rooms terminate', 'terminating rooms', 'no such room: x0'],
    ['users delete', 'deleting users', 'no such user: x0'],
    ['members block r --force', 'blocking members', 'no such room or member: r x0'],
  ])('%s exits 10 for 21 items with --yes --max 20', async (command, doing, missing) => {
    const ids = Array.from({ length: 21 }, (_, i) => `x${i}`)
    const run = (flags: string) => world.run([...command.split(' '), ...ids, ...flagsOf(flags)])
    expect(await run('--yes --max 20')).toMatchObject({ code: 10, stderr: beyond(doing, 21, 20) })
    expect(world.requests).toEqual([])
    // An unknown item is reported first, because neither --yes nor --max helps then.
    for (const flags of ['', '--yes'])
      expect(await run(flags)).toMatchObject({ code: 3, stderr: expect.stringContaining(missing) })
    expect(writes()).toEqual([])
  })

  test('users delete without --yes exits 10 if the service does not respond', async () => {
    world.intercept = () => Promise.reject(new Error('connection refused'))
    expect(await world.run('users delete ada')).toMatchObject({
      code: 10,
      stderr: needsConfirmation('deleting users'),
    })
  })

  test.each(['rooms reopen', 'members unblock r'])(
    '%s with three items and --max 2 exits 10 without a request',
    async (command) => {
      expect(await world.run(`${command} a b c --max 2`)).toMatchObject({ code: 10, stdout: '' })
      expect(world.requests).toEqual([])
    },
  )

  test('rooms delete exits 2 if --max is not a positive whole number', async () => {
    for (const max of ['0', '-1', 'all', '1e3'])
      expect(await world.run(['rooms', 'delete', 'r', '--yes', `--max=${max}`]), max).toMatchObject({
        code: 2,
        stderr: `error: --max must be a whole number, at least 1, not “${max}”\n`,
      })
    expect(world.requests).toEqual([])
  })
})

function storeProfile(fields: object = { protected: true }): void {
  mkdirSync(world.configDir, { recursive: true })
  const production = {
    ...{ base_url: baseUrl, api_key: world.apiKey, api_key_origin: 'https://meet.test' },
    ...fields,
  }
  writeFileSync(
    join(world.configDir, 'config.json'),
    JSON.stringify({ profile: 'production', profiles: { production } }),
  )
}
const stored: HostOptions = { env: { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined } }
const config = () => JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))

describe('a protected profile', () => {
  const refusal =
    'error: the profile production is protected against changes\n' +
    'hint: pass --allow-write to make the change anyway\n'
  let open: string
  let ada: string
  let adaOpen: string
  let secret: string
  beforeEach(async () => {
    open = await room('Open', 'open')
    secret = await room('Secret')
    ada = await member(secret, 'ada')
    adaOpen = await member(open, 'ada')
    writeFileSync(join(world.dir, 'users.csv'), 'user_id\nnew\n')
    writeFileSync(join(world.dir, 'rooms.csv'), 'name,type\nnew,open\n')
    writeFileSync(join(world.dir, 'members.csv'), 'user_id\ngrace\n')
    await user('grace')
    storeProfile()
  })
  const words = (line: string) =>
    line.split(' ').map((word) => ({ OPEN: open, SECRET: secret, ADA: ada, ADA_OPEN: adaOpen })[word] ?? word)
  const run = (line: string, options: HostOptions = {}) => world.run(words(line), { ...stored, ...options })

  test('batch commands exit 2 for a protected profile without --allow-write', async () => {
    for (const line of [
      'rooms terminate OPEN SECRET --yes',
      'users delete ada grace --yes',
      'members block SECRET --where type=guest --yes',
    ])
      expect(await run(line), line).toMatchObject({ code: 2, stdout: '', stderr: refusal })
    expect(writes()).toEqual([])
  })

  test.each([
    'rooms list',
    'rooms get OPEN',
    'users list',
    'users get ada',
    'members list OPEN',
    'members get OPEN ADA_OPEN',
    'sessions list OPEN',
    'rooms export',
    'users export',
    'members export --all-rooms',
    'members export --all-rooms --with last_seen',
    'users rooms ada',
    'api GET /rooms',
    'auth status',
    'users create ada --if-not-exists',
    'rooms create --name Open --type open --if-not-exists',
    'members add OPEN ada --if-not-exists',
  ])('the command “%s” exits 0 without a write for a protected profile', async (line) => {
    const { code, stderr } = await run(line)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(writes()).toEqual([])
  })

  test.each([
    'rooms delete OPEN',
    'rooms delete OPEN SECRET',
    'members block SECRET ADA',
    'users delete ada',
    'users offboard ada',
  ])('the command “%s” exits 2 before the prompt for a protected profile', async (line) => {
    expect(await run(line)).toMatchObject({ code: 2, stderr: refusal })
    const { code, stderr } = await runWithInput('\x03', words(line), stored)
    expect(stderr).not.toMatch(/y\/N|Type \d/)
    expect(code).toBe(2)
    expect(writes()).toEqual([])
  })

  test('rooms delete exits 2 if a flag, the environment or the settings file selects a protected profile', async () => {
    const elsewhere = { env: { ...stored.env, MEETROOM_PROFILE: 'production' } }
    expect(await run('rooms delete OPEN --yes --profile production')).toMatchObject({ code: 2 })
    expect(await run('rooms delete OPEN --yes', elsewhere)).toMatchObject({ code: 2 })
    const key = { env: { MEETROOM_API_KEY: world.apiKey, MEETROOM_BASE_URL: undefined } }
    expect(await run('rooms delete OPEN --yes', key)).toMatchObject({ code: 2 })
    const both = { env: { MEETROOM_PROFILE: 'production' } }
    expect(await run('rooms delete OPEN --yes', both)).toMatchObject({ code: 2 })
    expect(writes()).toEqual([])
  })

  const others = {
    profile: 'production',
    profiles: {
      production: { base_url: baseUrl, protected: true },
      other: { base_url: 'https://other.test/v1' },
      same: { base_url: 'https://MEET.test:443/v2' },
    },
  }
  const store = (config: object) =>
    writeFileSync(join(world.configDir, 'config.json'), JSON.stringify(config))

  test('users create exits 2 if another profile protects the same service', async () => {
    store(others)
    const env = { MEETROOM_API_KEY: world.apiKey }
    for (const [flags, more] of [
      ['--profile default', {}],
      ['--profile other', {}],
      [`--profile other --base-url ${baseUrl}`, { MEETROOM_BASE_URL: undefined }],
      ['--profile same', { MEETROOM_BASE_URL: undefined }],
      [`--base-url ${baseUrl}`, { MEETROOM_BASE_URL: undefined, MEETROOM_PROFILE: 'other' }],
      ['', { MEETROOM_PROFILE: 'other' }],
      ['', { MEETROOM_PROFILE: undefined }],
    ] as const) {
      const line = `users create new --overwrite ${flags}`.trim()
      expect(await run(line, { env: { ...env, ...more } }), line).toMatchObject({
        code: 2,
        stderr:
          'error: the profile production protects this service against changes\n' +
          'hint: pass --allow-write to make the change anyway\n',
      })
      expect(
        await run(`users get ada ${flags}`.trim(), { env: { ...env, MEETROOM_PROFILE: 'other' } }),
      ).toMatchObject({ code: 0 })
    }
    expect(writes()).toEqual([])
    expect(await run('users create new --profile other --allow-write', { env })).toMatchObject({ code: 0 })
  })

  test('join exits 2 for a protected profile', async () => {
    for (const line of ['join OPEN', 'join OPEN --as ada', 'join OPEN --profile production'])
      expect(await run(line)).toMatchObject({ code: 2, stdout: '', stderr: refusal })
    expect(world.requests).toEqual([])
    // The request reaches the network, where the host does not exist.
    const { code, stderr } = await run('join OPEN --allow-write --retries 0')
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('no connection') })
  })

  test('rooms delete exits 2 if a damaged settings file may contain a protected profile', async () => {
    const line = `rooms delete ${open} --yes`
    expect(await world.run(line)).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-write') })
    writeFileSync(join(world.configDir, 'config.json'), '{')
    expect(await world.run(line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('so it is unknown whether a profile protects this service'),
    })
    expect(await world.run('rooms list')).toMatchObject({ code: 0 })
    expect(writes()).toEqual([])
  })

  test('rooms create --local exits 0 if the profile of another service is protected', async () => {
    expect(await run('--local rooms create --name L --type open')).toMatchObject({ code: 0 })
  })

  test('rooms delete --json prints a JSON error for a protected profile', async () => {
    const { code, stderr } = await run('rooms delete OPEN --yes --json')
    expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 2, error: 'usage' })
  })

  test('auth login, auth logout and config set keep a profile protected', async () => {
    const logIn = () =>
      run(`auth login --with-token --profile production --base-url ${baseUrl}`, { stdin: world.apiKey })
    expect(await logIn()).toMatchObject({ code: 0 })
    expect(config().profiles.production.protected).toBe(true)
    expect(await run('auth logout')).toMatchObject({ code: 0 })
    expect(await logIn()).toMatchObject({ code: 0 })
    expect(await run('config set timeout 9')).toMatchObject({ code: 0 })
    expect(await run('config unset timeout')).toMatchObject({ code: 0 })
    expect(await run('profiles use local')).toMatchObject({ code: 0 })
    expect(await run('profiles use production')).toMatchObject({ code: 0 })
    expect(await run('rooms delete OPEN --yes')).toMatchObject({ code: 2, stderr: refusal })
  })

  test('an interrupted users import --allow-write suggests a --resume command with --allow-write', async () => {
    world.intercept = async (request, next) => {
      if (request.method === 'POST') run.host.signal('SIGINT')
      return next()
    }
    writeFileSync(join(world.dir, 'users.csv'), 'user_id\nu1\nu2\nu3\n')
    const run = world.start(words('users import users.csv --allow-write --concurrency 1'), stored)
    const { code, stderr } = await run.done
    expect(code).toBe(130)
    expect(stderr).toMatch(
      /^hint: resume with: meetroom users import users.csv --allow-write .*--resume( |$)/m,
    )
  })
})

describe('profiles protect and unprotect', () => {
  const run = (line: string) => world.run(line, stored)
  beforeEach(() => storeProfile({}))

  test('profiles protect and profiles unprotect change the protection of a profile', async () => {
    expect(await run('profiles protect production')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'profile production is protected\n',
    })
    expect((await run('profiles list')).stdout).toBe(
      'NAME        IN USE  BASE URL              HAS KEY  PROTECTED\n' +
        '──────────  ──────  ────────────────────  ───────  ─────────\n' +
        'production  true    https://meet.test/v1  true     true\n' +
        'local       false                         false    false\n',
    )
    expect(await run('users create ada')).toMatchObject({ code: 2 })
    expect(await run('profiles unprotect production')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'profile production is no longer protected\n',
    })
    expect(JSON.parse((await run('profiles list --json')).stdout).profiles[0]).toMatchObject({
      protected: false,
    })
    expect(await run('users create ada')).toMatchObject({ code: 0 })
    expect(config().profiles.production).toEqual({
      base_url: baseUrl,
      api_key: world.apiKey,
      api_key_origin: 'https://meet.test',
    })
  })

  test('profiles protect and profiles unprotect change the protection of the local workspace', async () => {
    const make = (flags = '') => run(`--local rooms create --name L --type open -o ids${flags}`)
    expect(await run('profiles protect local')).toMatchObject({
      code: 0,
      stderr: 'profile local is protected\n',
    })
    expect((await run('profiles list -o csv --no-header')).stdout).toContain('local,false,,false,true\r\n')
    for (const line of [
      '--local rooms create --name L --type open',
      '--profile local rooms create --name L --type open',
      '--local rooms import rooms.csv',
      '--local join 66f1a2b3c4d5e6f708192a3b',
    ])
      expect(await run(line), line).toMatchObject({
        code: 2,
        stdout: '',
        stderr:
          'error: the profile local is protected against changes\n' +
          'hint: pass --allow-write to make the change anyway\n',
      })
    expect(await run('--local rooms list -o ids')).toMatchObject({ code: 0, stdout: '' })
    expect(await make(' --allow-write')).toMatchObject({ code: 0 })
    expect(await run('users create ada')).toMatchObject({ code: 0 })
    await run('profiles unprotect local')
    expect(await make()).toMatchObject({ code: 0 })
  })

  test('a protected local workspace refuses rooms create if the settings file becomes invalid', async () => {
    await run('profiles protect local')
    const file = join(world.configDir, 'config.json')
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -10))
    const make = (flags = '') => run(`--local rooms create --name L --type open -o ids${flags}`)
    expect(await make()).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        `error: ${file} is not a valid settings file, so it is unknown whether a profile protects the local workspace\n` +
        'hint: fix the settings file, or pass --allow-write to make the change anyway\n',
    })
    expect(await run('--local rooms list')).toMatchObject({ code: 0 })
    expect(await make(' --allow-write')).toMatchObject({ code: 0 })
  })

  test('profiles protect and profiles unprotect exit 0 if they are repeated', async () => {
    for (const verb of ['protect', 'protect', 'unprotect', 'unprotect'])
      expect(await run(`profiles ${verb} production`), verb).toMatchObject({ code: 0 })
  })

  test.each(['protect', 'unprotect'])('profiles %s exits 3 for an unknown profile', async (verb) => {
    expect(await run(`profiles ${verb} nowhere`)).toMatchObject({
      code: 3,
      stderr: 'error: no such profile: “nowhere”\nhint: profiles: production, local\n',
    })
    expect(await run(`profiles ${verb} __proto__`)).toMatchObject({ code: 3 })
    expect(await run(`profiles ${verb}`)).toMatchObject({ code: 2 })
    expect(await run(`profiles ${verb} production --dry-run`)).toMatchObject({ code: 2 })
    expect(config().profiles.production).not.toHaveProperty('protected')
  })
})

describe('--ignore-not-found', () => {
  let here: string[]
  let r: string
  let m: string
  beforeEach(async () => {
    here = await rooms(2)
    await user('ada')
    r = await room('R')
    m = await member(r, 'grace')
  })
  const words = (line: string) =>
    line.split(' ').map((word) => ({ ONE: here[0], TWO: here[1], R: r, M: m })[word] ?? word)

  test.each([
    ['rooms delete ONE gone TWO', 'deleted 2 rooms; 1 did not exist'],
    ['rooms terminate gone TWO lost', 'terminated 1 room; 2 did not exist'],
    ['rooms reopen ONE gone', 'reopened 1 room; 1 did not exist'],
    ['users delete gone ada', 'deleted 1 user; 1 did not exist'],
    ['members block R gone M', 'blocked 1 member; 1 did not exist'],
    ['members unblock R gone M', 'unblocked 1 member; 1 did not exist'],
    ['rooms delete gone', 'deleted 0 rooms; 1 did not exist'],
    ['users delete gone lost', 'deleted 0 users; 2 did not exist'],
  ])('%s --ignore-not-found exits 0 and prints the number of missing items', async (line, summary) => {
    const { code, stdout, stderr } = await world.run(words(`${line} --yes --ignore-not-found -o ids`))
    const done = words(line).filter((word) => [...here, 'ada', m].includes(word))
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: done.map((id) => `${id}\n`).join(''),
      stderr: `${summary}\n`,
    })
  })

  test.each(['rooms delete ONE TWO', 'users delete ada', 'rooms terminate ONE', 'members block R M'])(
    '%s --ignore-not-found exits 0 if the command is repeated',
    async (line) => {
      for (const time of ['first', 'second'])
        expect(await world.run(words(`${line} --yes --ignore-not-found`)), time).toMatchObject({ code: 0 })
    },
  )

  test('rooms delete and users delete fail for a missing item without --ignore-not-found', async () => {
    expect(await world.run(words('rooms delete ONE gone --yes'))).toMatchObject({ code: 8 })
    expect(await world.run(words('rooms delete gone --yes'))).toMatchObject({ code: 3 })
    expect(await world.run(words('users delete gone lost --yes'))).toMatchObject({ code: 1 })
  })

  test('rooms delete --ignore-not-found exits 8 after a 422 response', async () => {
    world.intercept = async (request, next) =>
      request.url.endsWith(here[0] ?? '') ? answer(422, { error: { message: 'no' } }) : next()
    expect(await world.run(words('rooms delete gone ONE TWO --yes --ignore-not-found -o ids'))).toMatchObject(
      {
        code: 8,
        stdout: `${here[1]}\n`,
        stderr:
          `error: room ${here[0]}: the service refuses the request (422): no\n` +
          'error: deleted 1 of 3 rooms; 1 did not exist; 1 failed\n',
      },
    )
    expect(await world.run(words('rooms delete gone ONE --yes --ignore-not-found'))).toMatchObject({
      code: 8,
    })
  })

  test('rooms delete --fail-fast --ignore-not-found continues after missing items', async () => {
    expect(
      await world.run(words('rooms delete a b c ONE --yes --ignore-not-found --fail-fast --concurrency 1')),
    ).toMatchObject({ code: 0, stderr: 'deleted 1 room; 3 did not exist\n' })
  })

  test.each([
    ['rooms delete gone TWO', '2\n'],
    ['rooms terminate gone ONE', '2\n'],
    ['users delete ada gone', '2\n'],
    ['members block R gone M', '2\n'],
    ['rooms delete gone', 'y\n'],
  ])('%s --ignore-not-found on a terminal exits 0 after the input %j', async (line, text) => {
    const { code, stderr } = await runWithInput(text, words(`${line} --ignore-not-found`))
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('--if-not-exists', () => {
  const made = ({ stdout }: { stdout: string }, noun: string) => JSON.parse(stdout)[noun]

  test('two runs of users create --if-not-exists create one user', async () => {
    const line = 'users create ada --name Ada --if-not-exists --json'
    const [first, second] = [await world.run(line), await world.run(line)]
    expect([first, second]).toMatchObject([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ])
    expect(made(second, 'user')).toEqual(made(first, 'user'))
    expect(writes()).toEqual(['POST /users'])
  })

  test('users create --if-not-exists keeps an existing user unchanged', async () => {
    await user('ada', 'Ada')
    expect(
      await world.run('users create ada --name Eve --if-not-exists --columns user_id,name'),
    ).toMatchObject({
      code: 0,
      stdout: 'user_id  ada\nname     Ada\n',
    })
    expect(await world.run('users create ada --overwrite --if-not-exists')).toMatchObject({
      code: 2,
      stdout: '',
    })
    expect(writes()).toEqual([])
  })

  test('two runs of rooms create --if-not-exists create one room', async () => {
    const line = [
      'rooms',
      'create',
      '--name',
      'Weekly sync',
      '--type',
      'private',
      '--if-not-exists',
      '--json',
    ]
    const [first, second] = [await world.run(line), await world.run(line)]
    expect([first, second]).toMatchObject([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ])
    expect(made(second, 'room')).toEqual(made(first, 'room'))
    expect(writes()).toEqual(['POST /rooms'])
  })

  test('rooms create --if-not-exists matches a room only by its exact name', async () => {
    const id = await room('Sync')
    const create = (...words: string[]) =>
      world.run(['rooms', 'create', '--type', 'private', '--if-not-exists', '-o', 'ids', ...words])
    expect(await create('--name', 'Sync')).toMatchObject({ code: 0, stdout: `${id}\n` })
    expect(await create('--set', 'name=Sync')).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
    })
    expect(writes()).toEqual([])
    for (const name of ['sync', 'Sync ', 'Syn'])
      expect((await create('--name', name)).stdout, name).not.toBe(`${id}\n`)
    expect(await left()).toBe(4)
  })

  test('rooms create --if-not-exists exits 1 if the room with this name has another type', async () => {
    const id = await room('Sync')
    expect(await world.run('rooms create --name Sync --type open --if-not-exists')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error: room “Sync” exists (${id}), but its type is private, not open\n`,
    })
    expect(writes()).toEqual([])
  })

  test('rooms create --if-not-exists exits 2 if two rooms have this name', async () => {
    const one = await room('Sync')
    const two = await room('Sync')
    const { code, stdout, stderr } = await world.run(
      'rooms create --name Sync --type private --if-not-exists --json',
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'usage',
      message: `2 rooms are named “Sync”: ${two}, ${one}`,
    })
    expect(writes()).toEqual([])
  })

  test('rooms create --if-not-exists prints a warning if the existing room differs from the flags', async () => {
    const id = await room('Sync')
    expect(
      await world.run('rooms create --name Sync --type private --record --if-not-exists -o ids'),
    ).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
      stderr: 'warning: room “Sync” exists and differs in record; the room is unchanged\n',
    })
    expect(writes()).toEqual([])
  })

  test('rooms create --if-not-exists finds an existing room if the service ignores the name filter', async () => {
    const id = await room('Sync')
    for (let i = 0; i < 150; i++) await room(`R${i}`)
    world.intercept = async (request, next) => {
      if (!request.url.includes('name=')) return next()
      const url = new URL(request.url)
      url.searchParams.delete('name')
      const { status, body } = await world.send('GET', url.href.slice(baseUrl.length))
      return answer(status, body)
    }
    const line = 'rooms create --name Sync --type private --if-not-exists -o ids'
    expect(await world.run(line)).toMatchObject({ code: 0, stdout: `${id}\n` })
    expect(writes()).toEqual([])
  })

  test('two runs of members add --if-not-exists add one member', async () => {
    const id = await room('R')
    await user('ada')
    const line = `members add ${id} ada --type host --if-not-exists --json`
    const [first, second] = [await world.run(line), await world.run(line)]
    expect([first, second]).toMatchObject([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ])
    expect(made(second, 'member')).toEqual(made(first, 'member'))
    expect(writes()).toEqual([`POST /rooms/${id}/members`])
  })

  test('members add --if-not-exists keeps an existing member unchanged in a list of 121 members', async () => {
    const id = await room('R')
    const ada = await member(id, 'ada')
    for (let i = 0; i < 120; i++) await member(id, `u${i}`)
    expect(
      await world.run(`members add ${id} ada --type host --if-not-exists --columns id,type`),
    ).toMatchObject({
      code: 0,
      stdout: `id    ${ada}\ntype  guest\n`,
    })
    expect(writes()).toEqual([])
  })

  test('commands with --if-not-exists send no write request if the read request fails', async () => {
    const id = await room('R')
    world.intercept = async (request, next) => (request.method === 'GET' ? answer(503, {}) : next())
    for (const line of ['users create ada', 'rooms create --name N --type open', `members add ${id} ada`])
      expect(await world.run(`${line} --if-not-exists --retries 0`), line).toMatchObject({ code: 6 })
    expect(writes()).toEqual([])
  })

  test('--if-not-exists --dry-run prints the existing item or the planned request', async () => {
    const id = await room('R')
    await user('ada')
    const dry = async (line: string) => (await world.run(`${line} --if-not-exists --dry-run`)).stdout
    expect(await dry('rooms create --name R --type private -o ids')).toBe(`${id}\n`)
    expect(await dry('users create ada -o ids')).toBe('ada\n')
    expect(await dry('users create new')).toBe(`POST ${baseUrl}/users {"user_id":"new"}\n`)
    expect(await dry(`members add ${id} ada`)).toBe(`POST ${baseUrl}/rooms/${id}/members {"user_id":"ada"}\n`)
    expect(writes()).toEqual([])
  })
})

test.each(['rooms list --layout', 'users list --email', 'rooms list --name'])(
  'the command “%s” exits 2 for a value with an unpaired surrogate',
  async (command) => {
    const run = await world.run([...command.split(' '), 'a\ud800'])
    expect(run).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: the value of \w+ is not valid Unicode\n$/),
    })
    expect(world.requests).toEqual([])
  },
)
