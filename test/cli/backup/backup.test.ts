import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type AccessWorld, createAccessWorld } from '../../helpers/access.ts'
import { otherService } from '../../helpers/other-service.ts'
import { mountDisk } from '../../helpers/small-disk.ts'
import { answer } from '../../helpers/world.ts'

let world: AccessWorld
let ids: AccessWorld['ids']
beforeEach(async () => {
  world = await createAccessWorld()
  ids = world.ids
})

const path = (name: string) => join(world.dir, name)
const records = (file: string): Record<string, any>[] =>
  readFileSync(path(file), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
const roomCount = async () => (await world.send('GET', '/rooms')).body.paging.total
const notices = (
  kind: string,
  file: string,
  count = 1,
  tokens = '',
  target = ' --base-url https://meet.test/v1',
) =>
  `saved ${count} ${kind.slice(0, -1)}${count === 1 ? '' : 's'} in ${file}${tokens}\n` +
  `restore ${count === 1 ? 'it' : 'them'} with: meetroom ${kind} import ${file}${target}\n` +
  `not restored: ${
    kind === 'rooms'
      ? 'anonymous participants, IDs, webhooks, pages, sessions, recordings, thumbnails, times and order'
      : 'access tokens, internal IDs, times and order'
  }\n`

describe('a delete command with --save', () => {
  test('rooms delete --save saves rooms with their members before the first write', async () => {
    const before = {
      ...(await world.send('GET', `/rooms/${ids.board}`)).body.room,
      members: (await world.members(ids.board)).map(({ access_token: _, ...member }) => member),
    }
    let saved: unknown
    world.intercept = async (request, next) => {
      if (request.method === 'DELETE') saved ??= records('undo.ndjson')
      return next()
    }
    const run = await world.outcome(`rooms delete ${ids.board} ${ids.empty} --yes --save undo.ndjson -o ids`)
    expect(run).toEqual({
      code: 0,
      stdout: `${ids.board}\n${ids.empty}\n`,
      stderr: `${notices('rooms', 'undo.ndjson', 2, ', without access tokens')}deleted 2 rooms\n`,
    })
    expect(saved).toMatchObject([before, { id: ids.empty, members: [] }])
    expect(records('undo.ndjson')).toEqual(saved)
    expect(statSync(path('undo.ndjson')).mode & 0o777).toBe(0o600)
  })

  test('users delete --save saves memberships and omits access tokens', async () => {
    const run = await world.outcome('users delete trudy --yes --save undo.ndjson -o ids')
    expect(run).toEqual({
      code: 0,
      stdout: 'trudy\n',
      stderr: `${notices('users', 'undo.ndjson', 1, ', without access tokens')}deleted 1 user\n`,
    })
    expect(records('undo.ndjson')).toMatchObject([
      {
        user_id: 'trudy',
        name: 'TRUDY',
        memberships: [{ room_id: ids.board, room_name: 'Board', type: 'guest' }],
      },
    ])
    expect(readFileSync(path('undo.ndjson'), 'utf8')).not.toContain('access_token')
  })

  test('users offboard --save saves memberships before the first write', async () => {
    let saved: unknown
    world.intercept = async (request, next) => {
      if (request.method !== 'GET') saved ??= records('undo.ndjson')
      return next()
    }
    expect(await world.outcome('users offboard mallory nobody --yes --save undo.ndjson -q')).toMatchObject({
      code: 0,
    })
    expect(saved).toMatchObject([
      {
        user_id: 'mallory',
        memberships: ['Plans', 'Board', 'Hall', 'Lobby'].map((room_name) => ({
          room_name,
          is_blocked: false,
        })),
      },
    ])
    expect(records('undo.ndjson')).toHaveLength(1)
  })

  test.each([
    ['rooms delete --where', 'rooms delete --where name~^b --yes --save undo.ndjson', undefined],
    ['rooms delete -', 'rooms delete - --yes --save undo.ndjson', () => `${ids.board}\n`],
    ['room rm', 'room rm BOARD --yes --save undo.ndjson', undefined],
    ['api DELETE', 'api DELETE /rooms/BOARD --yes --save undo.ndjson', undefined],
  ])('%s --save saves the deleted room', async (_, line, stdin) => {
    const options = stdin ? { stdin: stdin() } : {}
    expect(await world.outcome(line.replace('BOARD', ids.board), options)).toMatchObject({ code: 0 })
    expect(records('undo.ndjson')).toMatchObject([{ id: ids.board, name: 'Board' }])
    expect(await roomCount()).toBe(4)
  })

  test('rooms delete --save saves only existing rooms', async () => {
    const line = `rooms delete ${ids.board} nowhere --yes`
    const run = await world.outcome(`${line} --save undo.ndjson -o ids`)
    expect(run).toMatchObject({ code: 8, stdout: `${ids.board}\n` })
    expect(run.stderr).toContain('error: no such room: nowhere\n')
    expect(records('undo.ndjson')).toMatchObject([{ id: ids.board }])
    expect(
      await world.outcome(
        `rooms delete nowhere ${ids.hall} --yes --ignore-not-found --save two.ndjson -o ids`,
      ),
    ).toMatchObject({ code: 0, stdout: `${ids.hall}\n` })
    expect(records('two.ndjson')).toMatchObject([{ id: ids.hall }])
    expect(await world.outcome('rooms delete nowhere --yes --save three.ndjson')).toMatchObject({ code: 3 })
    expect(existsSync(path('three.ndjson'))).toBe(false)
  })

  test('users delete --save keeps a user that another client creates during the save', async () => {
    let made = false
    world.intercept = async (request, next) => {
      const answered = await next()
      if (!made && request.url.endsWith('/users/grace')) {
        made = true
        await world.send('POST', '/users', { user_id: 'grace' })
      }
      return answered
    }
    const run = await world.outcome('users delete grace trudy --yes --save undo.ndjson')
    expect(run).toMatchObject({ code: 8 })
    expect(await world.userExists('grace')).toBe(true)
    expect(world.writes()).toEqual(['DELETE /users/trudy'])
  })

  test.each([
    ['a member list cannot be read', /members/, 500],
    ['a room cannot be read', /rooms\/[^/]+$/, 500],
    ['the key is rejected', /./, 401],
  ])('rooms delete --save sends no write if %s', async (_, pattern, status) => {
    world.fails(pattern, status, 'GET')
    const run = await world.outcome(`rooms delete ${ids.board} ${ids.hall} --yes --save undo.ndjson`)
    expect(run.code).not.toBe(0)
    expect(run.stderr).toMatch(/^(room \w+ cannot be saved; nothing was changed\n)?error: /)
    expect(world.writes()).toEqual([])
    expect(readdirSync(world.dir)).not.toContain('undo.ndjson')
  })

  test('users delete --save sends no write if the members of one room cannot be read', async () => {
    world.fails(new RegExp(`${ids.empty}/members`))
    expect(await world.outcome('users delete trudy --yes --save undo.ndjson')).toEqual({
      code: 8,
      stdout: '',
      stderr:
        `error: room ${ids.empty}: the service reports a validation exception (500): it is broken\n` +
        'hint: fix the request: in this API, 500 means that it is invalid\n' +
        'the rooms of the users cannot be saved; nothing was changed\n' +
        'error: read 4 of 5 rooms; 1 failed\n',
    })
    expect(world.writes()).toEqual([])
  })

  test.each([
    ['an existing file', () => writeFileSync(path('undo.ndjson'), 'mine')],
    ['a symbolic link', () => symlinkSync('elsewhere', path('undo.ndjson'))],
  ])('--save rejects the path of %s before the first request', async (_, make) => {
    make()
    for (const line of [`rooms delete ${ids.board}`, 'users delete trudy', 'users offboard trudy'])
      expect(await world.outcome(`${line} --save undo.ndjson`)).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: ${path('undo.ndjson')} already exists, and --save does not overwrite files\nhint: pass a new file\n`,
      })
    expect(world.requests).toEqual([])
    expect(existsSync(path('elsewhere'))).toBe(false)
  })

  test('rooms delete --save refuses to overwrite a file that is created during the run', async () => {
    world.intercept = async (_, next) => {
      writeFileSync(path('undo.ndjson'), 'mine')
      return next()
    }
    expect(await world.outcome(`rooms delete ${ids.board} --yes --save undo.ndjson`)).toMatchObject({
      code: 2,
    })
    expect(readFileSync(path('undo.ndjson'), 'utf8')).toBe('mine')
    expect(world.writes()).toEqual([])
  })

  test('rooms delete --save sends no write if the file cannot be created', async () => {
    expect(await world.outcome(`rooms delete ${ids.board} --yes --save no/such/folder.ndjson`)).toEqual({
      code: 74,
      stdout: '',
      stderr: `error: ${path('no/such/folder.ndjson')} cannot be written: no such directory; nothing was changed\nhint: choose another file with --save FILE, or pass --no-save\n`,
    })
    expect(world.writes()).toEqual([])
  })

  test('rooms delete --save sends no write if the disk is full', async ({ skip }) => {
    if (!mountDisk(path('disk'))) return skip('a small disk takes root')
    const id = (
      await world.send('POST', '/rooms', { name: 'Large', type: 'open', metadata: 'x'.repeat(60_000) })
    ).body.room.id
    writeFileSync(path('disk/ballast'), Buffer.alloc(1000 * 1024))
    const run = await world.outcome(`rooms delete ${ids.board} ${id} --yes --save disk/undo.ndjson`)
    expect(run).toMatchObject({
      code: 74,
      stderr: `error: ${path('disk/undo.ndjson')} cannot be written: no space left on the disk; nothing was changed\nhint: choose another file with --save FILE, or pass --no-save\n`,
    })
    expect(world.writes()).toEqual([])
    expect(readdirSync(path('disk'))).toEqual(['ballast'])
  })

  test('rooms delete --save creates no file if the confirmation is declined', async () => {
    expect(await world.typing('n\n', `rooms delete ${ids.board} --save undo.ndjson`)).toMatchObject({
      code: 10,
    })
    expect(existsSync(path('undo.ndjson'))).toBe(false)
  })

  test.each(['--dry-run', '--curl'])('--save with %s creates no file', async (flag) => {
    await world.outcome(`rooms delete ${ids.board} --save undo.ndjson ${flag}`)
    await world.outcome(`users offboard trudy --save undo.ndjson ${flag}`)
    await world.outcome(`api DELETE /users/trudy --save undo.ndjson ${flag}`)
    expect(existsSync(path('undo.ndjson'))).toBe(false)
    expect(world.writes()).toEqual([])
  })

  test('rooms delete --save sends no write if ^C interrupts the save', async () => {
    const { host, done } = world.start(
      `rooms delete ${ids.board} ${ids.hall} --yes --save undo.ndjson`.split(' '),
    )
    world.intercept = async (request, next) => {
      if (request.url.includes('/members')) host.signal('SIGINT')
      return next()
    }
    expect((await done).code).toBe(130)
    expect(world.writes()).toEqual([])
    expect(existsSync(path('undo.ndjson'))).toBe(false)
  })

  test('rooms delete --save writes a room name with line breaks as one NDJSON line', async () => {
    const name = 'a"\n\r\u2028\x1b[2J\u202e}{'
    await world.send('PUT', `/rooms/${ids.board}`, { name })
    await world.outcome(`rooms delete ${ids.board} --yes --save undo.ndjson`)
    expect(records('undo.ndjson')).toMatchObject([{ name }])
    expect(readFileSync(path('undo.ndjson'), 'utf8').split('\n')).toHaveLength(2)
  })

  test('rooms delete --save omits API keys and access tokens', async () => {
    world.intercept = async (request, next) =>
      request.method === 'GET' && request.url.endsWith(`/rooms/${ids.board}`)
        ? answer(
            200,
            `{"room":{"id":"${ids.board}","type":"private","name":"${world.apiKey}","n":12345678901234567890,"x":{"access_token":"t0ken"}}}`,
          )
        : next()
    const { stderr } = await world.outcome(`rooms delete ${ids.board} --yes --save undo.ndjson`)
    expect(stderr).toContain('saved 1 room in undo.ndjson, without access tokens\n')
    const text = readFileSync(path('undo.ndjson'), 'utf8')
    expect(text).toContain('"n":12345678901234567890,"x":{}')
    expect(text).not.toContain(world.apiKey)
    expect(text).not.toContain('t0ken')
  })

  test('rooms delete --save saves complete members if member lists omit fields', async () => {
    otherService(world, { minimalLists: true, maxLimit: 1 })
    await world.outcome(`rooms delete ${ids.board} --yes --save undo.ndjson`)
    expect(records('undo.ndjson')[0]?.['members']).toMatchObject(
      ['trudy', 'mallory', 'ada'].map((user_id) => ({ user_id, is_blocked: false })),
    )
  })

  test('rooms delete --save prints an import command with the same base URL', async () => {
    const { stderr } = await world.outcome(
      `rooms delete ${ids.board} --yes --save undo --base-url https://meet.test/v1`,
    )
    expect(stderr).toContain(
      'restore it with: meetroom rooms import undo --input-format ndjson --base-url https://meet.test/v1\n',
    )
  })

  test.each([
    ['api GET /rooms --save a.ndjson', '--save needs the method DELETE, not GET'],
    [
      'api DELETE /rooms/x/members/y --yes --save a.ndjson',
      'the records that DELETE /rooms/x/members/y deletes cannot be saved; nothing was sent\nhint: pass --no-save to delete without saving',
    ],
    [
      'api DELETE /users/trudy/ --yes --save a.ndjson',
      'the records that DELETE /users/trudy/ deletes cannot be saved; nothing was sent\nhint: pass --no-save to delete without saving',
    ],
    [
      'api DELETE /users/%zz --yes --save a.ndjson',
      'the records that DELETE /users/%zz deletes cannot be saved; nothing was sent\nhint: pass --no-save to delete without saving',
    ],
  ])('“meetroom %s” exits 2 because --save does not support the request', async (line, message) => {
    expect(await world.outcome(line)).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` })
    expect(world.requests).toEqual([])
  })

  test('rooms delete --save escapes control characters in the printed file name', async () => {
    const { stderr } = await world.run(['rooms', 'delete', ids.empty, '--yes', '--save', 'a\x1b[2J.ndjson'], {
      tty: true,
    })
    expect(stderr).toContain('saved 1 room in a\\u001b[2J.ndjson')
  })
})

describe('the save directory', () => {
  const files = (dir: string) => readdirSync(dir).sort()

  test.each([
    ['MEETROOM_SAVE_DELETED', { MEETROOM_SAVE_DELETED: 'DIR' }],
    ['config set save_deleted', { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }],
  ])('each delete command writes a file to the save directory set by %s', async (_, given) => {
    const dir = path('a/deleted')
    const env: Record<string, string | undefined> = { ...given }
    if (env['MEETROOM_SAVE_DELETED']) env['MEETROOM_SAVE_DELETED'] = dir
    else {
      const login = ['auth', 'login', '--with-token', '--base-url', 'https://meet.test/v1']
      await world.run(login, { env, stdin: world.apiKey })
      expect(await world.run(['config', 'set', 'save_deleted', dir], { env })).toMatchObject({ code: 0 })
    }
    const run = (line: string) => world.run(line, { env })
    const here = 'MEETROOM_BASE_URL' in env ? ' --profile default' : undefined
    const first = await run(`rooms delete ${ids.board} --yes`)
    const file = join(dir, '2026-01-02T030405.678Z-rooms-delete.ndjson')
    expect(first.stderr).toBe(`${notices('rooms', file, 1, ', without access tokens', here)}deleted 1 room\n`)
    await run(`rooms delete ${ids.hall} --yes`)
    await run('users offboard mallory --yes')
    await run('api DELETE /users/trudy --yes')
    expect(files(dir)).toEqual([
      '2026-01-02T030405.678Z-api.ndjson',
      '2026-01-02T030405.678Z-rooms-delete-2.ndjson',
      '2026-01-02T030405.678Z-rooms-delete.ndjson',
      '2026-01-02T030405.678Z-users-offboard.ndjson',
    ])
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    for (const name of files(dir)) expect(statSync(join(dir, name)).mode & 0o777, name).toBe(0o600)
  })

  test('--save and --no-save take precedence over MEETROOM_SAVE_DELETED', async () => {
    const env = { MEETROOM_SAVE_DELETED: path('deleted') }
    await world.run(`rooms delete ${ids.board} --yes --save undo.ndjson`, { env })
    await world.run(`rooms delete ${ids.hall} --yes --no-save`, { env })
    await world.run('users delete trudy --yes --no-save', { env })
    await world.run('api DELETE /users/ada --yes --no-save', { env })
    expect(existsSync(path('deleted'))).toBe(false)
    expect(records('undo.ndjson')).toHaveLength(1)
    expect(await world.userExists('ada')).toBe(false)
  })

  test('rooms delete exits 74 if the path of the save directory is a file', async () => {
    writeFileSync(path('file'), '')
    const env = { MEETROOM_SAVE_DELETED: path('file') }
    expect(await world.run(`rooms delete ${ids.board} --yes`, { env })).toMatchObject({
      code: 74,
      stderr: `error: ${path('file')} cannot be written: a file with this name exists; nothing was changed\nhint: choose another file with --save FILE, or pass --no-save\n`,
    })
    expect(world.writes()).toEqual([])
  })

  test.each([
    [
      'config set save_deleted ~/here',
      'save_deleted must be absolute, not “~/here”\nhint: pass an absolute path, as in /var/backups/meetroom',
      {},
    ],
    [
      `rooms delete x --yes`,
      'MEETROOM_SAVE_DELETED: save_deleted must be absolute, not “here”\nhint: pass an absolute path, as in /var/backups/meetroom',
      { MEETROOM_SAVE_DELETED: 'here' },
    ],
  ])('“meetroom %s” exits 2 for a relative save directory', async (line, message, env) => {
    expect(await world.run(line, { env })).toMatchObject({
      code: 2,
      stderr: `error: ${message}\n`,
    })
  })

  test('rooms delete --dry-run and rooms terminate create no save directory', async () => {
    const env = { MEETROOM_SAVE_DELETED: path('deleted') }
    await world.run('rooms delete nowhere --yes', { env })
    await world.run(`rooms delete ${ids.board} --dry-run`, { env })
    await world.run(`rooms terminate ${ids.board} --yes`, { env })
    expect(existsSync(path('deleted'))).toBe(false)
  })
})
