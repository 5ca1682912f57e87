import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { TransportError } from '../../../../src/api/wire.ts'
import { changes, readLog } from '../../../helpers/audit.ts'
import { keyShapes, spellings, tracesOf } from '../../../helpers/canary.ts'
import { fillDisk, mountDisk } from '../../../helpers/small-disk.ts'
import { answer, createWorld, type World } from '../../../helpers/world.ts'
import { notice, share, sized } from '../../../suites/size.ts'

let world: World
let log: string
beforeEach(async () => {
  world = await createWorld()
  log = join(world.dir, 'audit.ndjson')
})
const run = (line: string, env: Record<string, string | undefined> = {}) =>
  world.run(line, { env: { MEETROOM_AUDIT_LOG: log, ...env } })
const writes = ({ requests }: World) => requests.filter(({ method }) => method !== 'GET')
const addUsers = async (many: number) => {
  for (let i = 0; i < many; i++) await world.send('POST', '/users', { user_id: `u${i}` })
}

test.each(['--dry-run', '--curl', '--no-audit'])('a command with %s writes no audit entry', async (flag) => {
  await addUsers(2)
  for (const line of ['users create ada', 'users delete u0 u1 --yes', 'api POST /users -f user_id=bob'])
    expect((await run(`${line} ${flag}`)).code).toBe(0)
  expect(existsSync(log)).toBe(false)
})

describe('an audit entry', () => {
  test('users create writes an audit entry with the account, the service and the outcome', async () => {
    const env = {
      GITHUB_RUN_ID: '77',
      GITHUB_SERVER_URL: 'https://github.test',
      GITHUB_REPOSITORY: 'school/rooms',
    }
    await run('users create ada --name Ada', env)
    await run('rooms get nowhere', env)
    const [intent, outcome, ...more] = readLog(log)
    const who = {
      profile: 'default',
      origin: 'https://meet.test',
      user: 'operator',
      ci: 'https://github.test/school/rooms/actions/runs/77',
    }
    const what = {
      operation: 'users.create',
      command: 'users create',
      ids: { user_id: 'ada' },
      changed: ['name'],
      method: 'POST',
      path: '/v1/users',
    }
    const time = '2026-01-02T03:04:05.678Z'
    const id = expect.stringMatching(/^[\da-f-]{36}$/)
    expect(intent).toEqual({ time, id, event: 'intent', ...who, ...what })
    expect(outcome).toEqual({
      time,
      id: intent?.id,
      event: 'outcome',
      ...who,
      ...what,
      outcome: 'ok',
      status: 200,
    })
    expect(more).toEqual([])
    expect(statSync(log).mode & 0o777).toBe(0o600)
  })

  test.skipIf(process.platform === 'win32').each(['666', '620', '602'])(
    'users delete prints one warning if the audit log has the mode %s',
    async (mode) => {
      writeFileSync(log, '')
      chmodSync(log, mode)
      for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
      const { code, stderr } = await run('users delete ada grace --yes -o ids')
      expect(code).toBe(0)
      const warning = `warning: other accounts of this machine can change the audit log ${log}; run: chmod go-w ${log}\n`
      expect(stderr.split(warning)).toHaveLength(2)
      expect(readLog(log)).toHaveLength(4)
    },
  )

  test('users update prints no warning if other accounts can only read the audit log', async () => {
    writeFileSync(log, '')
    chmodSync(log, 0o644)
    await world.send('POST', '/users', { user_id: 'ada' })
    expect(await run('users update ada --profile-url http://a.test -o ids')).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(readLog(log).map(({ event }) => event)).toEqual(['intent', 'outcome'])
  })

  test.each([
    [
      { CI_JOB_URL: 'https://gitlab.test/a/-/jobs/1', CI_PIPELINE_URL: 'x' },
      'https://gitlab.test/a/-/jobs/1',
    ],
    [{ BUILD_URL: 'https://ada:secret@jenkins.test/job/1/' }, 'https://jenkins.test/job/1/'],
    [{ GITHUB_RUN_ID: '7' }, 'GitHub run 7'],
    [{}, undefined],
  ])('with the environment %o, the CI run in an audit entry is %j', async (env, ci) => {
    await run('users update ada --name A', env)
    expect(readLog(log).map((line) => line['ci'])).toEqual([ci, ci])
  })

  test('the audit outcome of rooms create contains the ID of the created room', async () => {
    const { stdout } = await run('rooms create --name R --type private -o ids')
    await run(`members add ${stdout.trim()} nobody`)
    expect(readLog(log).map(({ event, ids }) => [event, ids])).toEqual([
      ['intent', {}],
      ['outcome', { room_id: stdout.trim() }],
      ['intent', { room_id: stdout.trim(), user_id: 'nobody' }],
      ['outcome', { room_id: stdout.trim(), user_id: 'nobody' }],
    ])
  })

  test.each([
    [
      'ok',
      'users update ada --name A',
      answer(200, { user: { user_id: 'ada', name: 'A' } }),
      { status: 200 },
    ],
    [
      'failed',
      'users update ada --name A',
      answer(422, { message: 'no' }),
      { status: 422, code: 'refused', exit_code: 1 },
    ],
    [
      'unknown',
      'users update ada --name A',
      answer(504, {}),
      { status: 504, code: 'unknown_outcome', exit_code: 7 },
    ],
    ['unknown', 'rooms create --name a --type open', answer(200, {}), { status: 200, exit_code: 7 }],
    ['unknown', 'api POST /rooms', new TransportError('the connection was reset', true), { exit_code: 7 }],
    ['failed', 'api POST /rooms', new TransportError('connection refused', false), { exit_code: 5 }],
  ])(
    'an audit entry has the outcome “%s” after the command “%s”%c with the result %j',
    async (outcome, line, answer, more) => {
      world.intercept = async () => {
        if (answer instanceof Error) throw answer
        return answer
      }
      const { code } = await run(`${line} --retries 0`)
      expect(readLog(log).at(-1)).toMatchObject({ event: 'outcome', outcome, ...more })
      expect(code).toBe('exit_code' in more ? more.exit_code : 0)
    },
  )

  test('an audit entry of an interrupted write has the outcome “unknown”', async () => {
    const { host, done } = world.start(['users', 'update', 'ada', '--name', 'A'], {
      env: { MEETROOM_AUDIT_LOG: log },
    })
    world.intercept = (_, __, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new TransportError('no response yet', true)))
        host.signal('SIGINT')
      })
    expect((await done).code).toBe(130)
    expect(readLog(log).at(-1)).toMatchObject({ outcome: 'unknown', code: 'interrupted', exit_code: 130 })
  })

  test.each([
    [
      'users update ada --name A --default-member-type host',
      ['name', 'default_member_type'],
      { default_member_type: 'host' },
    ],
    ['users update ada --set nick=tok-0123456789 --data {"pin":"9876"}', ['pin', 'nick'], undefined],
    [
      'rooms create --name R --type private --record',
      ['name', 'type', 'record'],
      { type: 'private', record: true },
    ],
    ['rooms terminate ROOM --yes', ['is_terminated'], { is_terminated: true }],
    ['rooms reopen ROOM', ['is_terminated'], { is_terminated: false }],
    ['members block ROOM MEMBER --yes', ['is_blocked'], { is_blocked: true }],
    ['members unblock ROOM MEMBER', ['is_blocked'], { is_blocked: false }],
    ['members update ROOM MEMBER --type monitor', ['type'], { type: 'monitor' }],
    [
      'api PUT /rooms/ROOM/members/MEMBER -f type=host -f name=tok-0123456789',
      ['type', 'name'],
      { type: 'host' },
    ],
  ])(
    'an audit entry of “%s” contains values only of booleans, roles and room types',
    async (line, changed, values) => {
      await world.send('POST', '/users', { user_id: 'ada' })
      const made = await world.send('POST', '/rooms', {
        name: 'R',
        type: 'private',
        members: [{ user_id: 'ada', type: 'guest' }],
      })
      const room = made.body.room.id
      const listed = await world.send('GET', `/rooms/${room}/members`)
      const [member] = listed.body.members
      const { code, stderr } = await run(line.replaceAll('ROOM', room).replaceAll('MEMBER', member.id))
      expect(code, stderr).toBe(0)
      const command = line
        .split(' ')
        .slice(0, line.startsWith('api') ? 1 : 2)
        .join(' ')
      for (const recorded of readLog(log)) {
        expect(recorded).toMatchObject({ command, changed })
        expect(recorded['values']).toEqual(values)
      }
      expect(readFileSync(log, 'utf8')).not.toMatch(/tok-0123456789|\b9876\b/)
    },
  )

  test('the audit outcomes of members block and members unblock contain the user ID', async () => {
    await world.send('POST', '/users', { user_id: 'ada' })
    const members = [{ user_id: 'ada', type: 'guest' }]
    const { body } = await world.send('POST', '/rooms', { name: 'R', type: 'private', members })
    const room_id = body.room.id
    const listed = await world.send('GET', `/rooms/${room_id}/members`)
    const member_id = listed.body.members[0].id
    await run(`members block ${room_id} --user ada --yes`)
    await run(`members unblock ${room_id} ${member_id}`)
    const known = { room_id, member_id, user_id: 'ada' }
    expect(readLog(log).map(({ ids }) => ids)).toEqual([known, known, { room_id, member_id }, known])
  })

  test('the audit entry of members import contains the user ID even if the member list omits the ID', async () => {
    await world.send('POST', '/users', { user_id: 'ada' })
    const room_id = (await world.send('POST', '/rooms', { name: 'R', type: 'private' })).body.room.id
    const { body } = await world.send('POST', `/rooms/${room_id}/members`, { user_id: 'ada', type: 'guest' })
    const member_id = body.member.id
    world.intercept = async (request, next) =>
      request.url.includes('/members?') ? answer(200, { members: [{ id: member_id }] }) : next()
    writeFileSync(join(world.dir, 'members.csv'), 'user_id,type\nada,host\n')
    expect(await run(`members import members.csv --room ${room_id} --if-exists overwrite`)).toMatchObject({
      code: 0,
    })
    expect(readLog(log).map(({ ids }) => ids)).toEqual(Array(2).fill({ room_id, member_id, user_id: 'ada' }))
  })

  test('users create writes one audit entry for a request with two retries', async () => {
    let asked = 0
    world.intercept = async (_, next) => (++asked < 3 ? answer(503, {}) : next())
    expect((await run('users create ada --overwrite')).code).toBe(0)
    expect(readLog(log).map(({ event, outcome }) => outcome ?? event)).toEqual(['intent', 'ok'])
    expect(writes(world)).toHaveLength(3)
  })

  test('users delete writes each audit intent before it sends the request', async () => {
    await addUsers(40)
    const missing: string[] = []
    world.intercept = async (request, next) => {
      const known = readLog(log).some(
        ({ event, path }) => event === 'intent' && request.url.endsWith(`${path}`),
      )
      if (!known) missing.push(request.url)
      return next()
    }
    const ids = Array.from({ length: 40 }, (_, i) => `u${i}`).join(' ')
    expect((await run(`users delete ${ids} --yes --max 40`)).code).toBe(0)
    expect(missing).toEqual([])
    expect(changes(log)).toHaveLength(40)
  })

  test('users delete --concurrency 16 syncs the audit entries of concurrent changes together', async () => {
    const file = await open(join(world.dir, 'any'), 'w')
    const proto = Object.getPrototypeOf(file)
    await file.close()
    const { datasync } = proto
    let syncs = 0
    proto.datasync = function (...args: unknown[]) {
      syncs++
      return datasync.apply(this, args)
    }
    onTestFinished(() => {
      proto.datasync = datasync
    })
    const rows = Array.from({ length: 64 }, (_, i) => `u${i}`)
    await addUsers(64)
    await run(`users delete ${rows.join(' ')} --yes --max 64 --concurrency 16`)
    expect(changes(log)).toHaveLength(64)
    expect(syncs).toBeLessThanOrEqual(16)
  })

  test('an audit entry of the local workspace contains the workspace directory', async () => {
    expect((await run('--local users create ada')).code).toBe(0)
    expect(readLog(log).map(({ profile, origin }) => ({ profile, origin }))).toEqual(
      Array(2).fill({ profile: 'local', origin: join(world.dir, 'data') }),
    )
  })
})

describe('an audit log rotated during an import', () => {
  const many = 400
  const users = Array.from({ length: many }, (_, i) => `u${i}`)
  const file = () => {
    writeFileSync(join(world.dir, 'users.csv'), `user_id\n${users.join('\n')}\n`)
    return join(world.dir, 'users.csv')
  }

  test('users import exits 74 before the next change if the audit log cannot be recreated', async () => {
    const dir = join(world.dir, 'logs')
    mkdirSync(dir)
    log = join(dir, 'audit.ndjson')
    let sent = 0
    world.intercept = async (request, next) => {
      if (request.method !== 'GET' && ++sent === 4) rmSync(dir, { recursive: true })
      return next()
    }
    const { code, stderr } = await run(`users import ${file()} --if-exists overwrite --concurrency 1`)
    expect({ code, sent }, stderr).toEqual({ code: 74, sent: 4 })
    expect(stderr).toContain(
      `error: 4 users were created, but the audit log ${log} cannot be written: no such directory\n`,
    )
  })

  test('users import writes an intent and an outcome for each change during log rotation', async () => {
    let sent = 0
    world.intercept = async (request, next) => {
      if (request.method !== 'GET' && ++sent % 10 === 0) renameSync(log, `${log}.${sent}`)
      return next()
    }
    expect((await run(`users import ${file()} --if-exists overwrite --concurrency 8`)).code).toBe(0)
    const files = readdirSync(world.dir).filter((name) => name.startsWith('audit.ndjson'))
    expect(files.length).toBeGreaterThan(20)
    const lines = files.flatMap((name) => readLog(join(world.dir, name)))
    const of = (event: string) => new Set(lines.filter((line) => line.event === event).map(({ id }) => id))
    expect(of('intent').size).toBe(many)
    expect(of('outcome')).toEqual(of('intent'))
  })
})

describe('the text of an audit entry', () => {
  const sendable = Object.entries(keyShapes).filter(([shape]) => !shape.includes('no header'))

  test.each(sendable)(
    'the audit log masks a key of the shape “%s” in any encoding',
    async (shape, makeKey) => {
      const key = makeKey().trim()
      const traces = tracesOf(key)
      const row = sendable.findIndex(([each]) => each === shape)
      for (const spell of share(spellings, row, 2)) {
        world.intercept = async () => answer(422, { message: `who is ${spell(key)}?` })
        await run('users update ada --name A', { MEETROOM_API_KEY: key })
        world.intercept = async () =>
          answer(502, `<title>${spell(key)}</title>`, { 'content-type': 'text/html' })
        await run('message send r hi', { MEETROOM_API_KEY: key })
      }
      world.intercept = async () => answer(200, { user: { user_id: key } })
      await world.run(['users', 'delete', key, '--yes'], {
        env: { MEETROOM_AUDIT_LOG: log, MEETROOM_API_KEY: key },
      })
      await world.run(['api', 'POST', `/users?user_id=${encodeURIComponent(key)}`], {
        env: { MEETROOM_AUDIT_LOG: log, MEETROOM_API_KEY: key },
      })
      expect(readLog(log).length).toBeGreaterThan(sized(15, 30))
      expect(traces(readFileSync(log, 'utf8'))).toEqual([])
    },
  )

  test('the audit entry of api masks an access token in the query string and omits the API key', async () => {
    await run('api POST /users?access_token=tok-0123456789 -f user_id=ada')
    expect(readLog(log).map(({ path }) => path)).toEqual(Array(2).fill('/v1/users?access_token=••••'))
    expect(readFileSync(log, 'utf8')).not.toMatch(new RegExp(`tok-0123456789|${world.apiKey}`))
  })

  test('the audit log escapes control characters from a response', async () => {
    world.intercept = async () => answer(422, { message: 'a\u001b]52;c;eA==\u0007\u009b2Jb\u202ec' })
    await run('users update ada --name A')
    expect(readFileSync(log, 'utf8')).toMatch(/^[ -~\n“”]*$/)
  })
})

describe('an audit log that cannot be written', () => {
  const cases: [string, () => void, string][] = [
    ['a link', () => symlinkSync(join(world.dir, 'other'), log), 'is a symbolic link'],
    ['a named pipe', () => execFileSync('mkfifo', [log]), 'is not a regular file'],
    ['a directory', () => mkdirSync(log), 'cannot be written: it is a directory'],
  ]
  test.each(cases)(
    'users update exits 74 before the first request if the audit log is %s',
    async (_, make, why) => {
      make()
      const { code, stderr } = await run('users update ada --name A')
      expect(code).toBe(74)
      expect(stderr).toContain(`error: the audit log ${log} cannot be written`)
      expect(stderr).toContain(why)
      expect(world.requests).toEqual([])
    },
  )

  test('users update exits 74 without a request if the audit log is /dev/full', async () => {
    const { code, stderr } = await run('users update ada --name A', { MEETROOM_AUDIT_LOG: '/dev/full' })
    expect({ code, sent: world.requests }, stderr).toEqual({ code: 74, sent: [] })
  })

  test('users delete exits 74 before the first item if the audit log cannot be written', async () => {
    await addUsers(30)
    const ids = Array.from({ length: 30 }, (_, i) => `u${i}`).join(' ')
    const { code, stderr } = await run(`users delete ${ids} --yes --max 30`, {
      MEETROOM_AUDIT_LOG: '/nonexistent/log',
    })
    expect({ code, sent: writes(world) }).toEqual({ code: 74, sent: [] })
    expect(stderr.match(/error: /g)).toHaveLength(1)
  })

  test('users create exits 74 until the disk of the audit log has free space', async ({ skip }) => {
    const disk = join(world.dir, 'disk')
    if (!mountDisk(disk)) {
      notice('audit', 'full disks: mounting a small one takes more rights')
      return skip()
    }
    log = join(disk, 'log')
    await run('users create first')
    fillDisk(join(disk, 'ballast'))
    // The last block of the log has space for some lines.
    let code = 0
    for (let i = 0; i < 50 && code === 0; i++) code = (await run(`users create u${i}`)).code
    expect(code).toBe(74)
    const sent = writes(world).length
    expect((await run('users create later')).code).toBe(74)
    expect(writes(world)).toHaveLength(sent)
    rmSync(join(disk, 'ballast'))
    expect((await run('users create last')).code).toBe(0)
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
    expect(lines.slice(-2).map((line) => JSON.parse(line).ids.user_id)).toEqual(['last', 'last'])
  })

  test('users update exits 0 with a warning if the audit disk becomes full during the request', async ({
    skip,
  }) => {
    const disk = join(world.dir, 'disk')
    if (!mountDisk(disk)) return skip()
    log = join(disk, 'log')
    await world.send('POST', '/users', { user_id: 'ada' })
    await run('users update ada --name A')
    const [intent = ''] = readFileSync(log, 'utf8').split('\n')
    // The intent fits into the rest of the page, but the outcome does not.
    writeFileSync(log, `${'-'.repeat(4096 - intent.length - 20)}\n`)
    world.intercept = async (_, next) => {
      fillDisk(join(disk, 'ballast'))
      return next()
    }
    const { code, stderr } = await run('users update ada --profile-url http://a.test -o ids')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: the audit log ${log} cannot be written: no space left on the disk; the outcome of the change is not logged\n`,
    })
  })

  test('rooms list exits 0 if the audit log cannot be written', async () => {
    expect((await run('rooms list', { MEETROOM_AUDIT_LOG: '/nonexistent/log' })).code).toBe(0)
  })
})

describe('the audit_log setting', () => {
  const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined, MEETROOM_AUDIT_LOG: undefined }
  const plain = (line: string, env = {}) => world.run(line, { env: { ...bare, ...env } })

  test('the audit_log setting of a profile applies to other profiles with the same service', async () => {
    const profile = {
      base_url: 'https://meet.test/v1',
      api_key: world.apiKey,
      api_key_origin: 'https://meet.test',
    }
    mkdirSync(world.configDir)
    writeFileSync(
      join(world.configDir, 'config.json'),
      JSON.stringify({ profile: 'main', profiles: { main: profile, other: profile } }),
    )
    expect((await plain(`config set audit_log ${log}`)).code).toBe(0)
    expect((await plain('config get audit_log')).stdout).toBe(`${log}\n`)
    await plain('users create ada')
    await plain('users create bob --profile other')
    expect(readLog(log).map(({ profile }) => profile)).toEqual(['main', 'main', 'other', 'other'])
    expect((await plain('config list --show-origin -o csv --profile other')).stdout).toContain(
      `audit_log,${log},profile main\r\n`,
    )
    expect((await plain('config unset audit_log')).code).toBe(0)
    await plain('users create eve')
    expect(readLog(log)).toHaveLength(4)
  })

  test('the audit_log setting applies to the local workspace', async () => {
    await plain(`config set audit_log ${log} --profile local`)
    await plain('--local users create ada')
    expect(changes(log)).toHaveLength(1)
  })

  test('MEETROOM_AUDIT_LOG takes precedence over the audit_log setting', async () => {
    await plain('config set audit_log /nonexistent/log --local')
    expect((await plain('--local users create ada', { MEETROOM_AUDIT_LOG: log })).code).toBe(0)
    expect(changes(log)).toHaveLength(1)
  })

  test('config set audit_log stores a relative path as an absolute path', async () => {
    expect((await plain('config set audit_log ./log')).stderr).toMatch(/^audit_log is \/.*\/log\n$/)
    expect((await plain('config get audit_log')).stdout).toMatch(/^\/.*\/log\n$/)
    expect((await plain('config set audit_log ~/log')).code).toBe(2)
  })

  test.each(['audit.ndjson', './log', '~/log'])(
    'users create exits 2 for the relative path %s in MEETROOM_AUDIT_LOG',
    async (path) => {
      expect(await plain('--local users create ada', { MEETROOM_AUDIT_LOG: path })).toMatchObject({
        code: 2,
        stderr: `error: MEETROOM_AUDIT_LOG: audit_log must be absolute, not “${path}”\nhint: pass an absolute path, as in /var/log/audit.log\n`,
      })
    },
  )
})
