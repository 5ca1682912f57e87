import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWorkspace } from '../../../helpers/workspace-file.ts'
import { answer } from '../../../helpers/world.ts'

const algebra = (members = '[]', more = '') =>
  `rooms:\n  - { key: algebra, name: Algebra, type: private${more}, members: ${members} }\n`
const apply = 'workspace apply school.yaml --yes --max 500'

describe('workspace apply of a partial file', () => {
  test('workspace apply without --prune keeps the items of omitted keys and of empty lists', async () => {
    const at = await createWorkspace()
    await at.user('ada')
    at.write(algebra('[{ user_id: ada }]'))
    await at.run(apply)
    at.write('rooms: [{ key: algebra, name: Algebra }]\n')
    expect((await at.diff('--prune=members,users,rooms')).lines).toEqual([])
    at.write('users: []\nrooms: []\n')
    expect((await at.run(apply)).writes).toEqual([])
    expect((await at.diff()).lines).toEqual([
      '* not_in_file user ada',
      '* not_in_file room algebra; in the lock file; --prune=rooms deletes the room',
    ])
  })

  test('workspace apply --prune keeps the items of omitted keys', async () => {
    const at = await createWorkspace()
    for (const id of ['ada', 'grace']) await at.user(id)
    at.write(algebra('[{ user_id: ada }, { user_id: grace }]'))
    await at.run(apply)
    at.write('rooms: [{ key: algebra, name: Algebra }]\n')
    const { code, writes } = await at.run(`${apply} --prune=members,users,rooms`)
    expect([code, writes]).toEqual([0, []])
    at.write('rooms: [{ key: algebra, name: Algebra, members: }]\n')
    const refused = await at.run(`${apply} --prune=members`)
    expect([refused.code, refused.writes]).toEqual([2, []])
    expect(refused.stderr).toContain('school.yaml:1:40: rooms[0].members is null')
  })

  test('workspace apply writes only declared fields that differ from the service', async () => {
    const at = await createWorkspace()
    await at.user('ada', { default_member_type: 'host', email: 'a@x.test' })
    at.write('users: [{ user_id: ada, name: Ada, default_member_type: host }]\n')
    expect((await at.run(apply)).writes).toEqual(['PUT /users/ada {"name":"Ada"}'])
    expect((await at.users())[0]).toMatchObject({
      name: 'Ada',
      email: 'a@x.test',
      default_member_type: 'host',
    })
  })

  test('workspace apply skips fields that the service omits, and workspace diff reports them', async () => {
    const at = await createWorkspace()
    await at.user('ada')
    at.world.intercept = async (_, next) => {
      const response = await next()
      const text = new TextDecoder().decode(response.body).replaceAll('"profile_url":null,', '')
      return { ...response, body: new TextEncoder().encode(text) }
    }
    at.write('users: [{ user_id: ada, profile_url: "https://x.test/a.png" }]\n')
    expect(await at.diff()).toMatchObject({
      code: 0,
      lines: ['? not_shown user ada; the service does not show profile_url'],
    })
    expect((await at.diff('--strict')).code).toBe(9)
    expect((await at.run(apply)).writes).toEqual([])
  })
})

describe('workspace apply', () => {
  test('workspace apply without --yes exits 10 and sends no write if the input comes from a pipe', async () => {
    for (const stdin of ['n\n', 'y\n', '1\n', '']) {
      const at = await createWorkspace()
      at.write('users: [{ user_id: ada }]\n')
      const { code, stderr, writes } = await at.run('workspace apply school.yaml', { stdin })
      expect([code, writes]).toEqual([10, []])
      expect(stderr).toContain('applying school.yaml needs confirmation')
      expect(at.lock()).toBeUndefined()
    }
  })

  test('workspace apply exits 10 if the confirmation is “n” instead of the number of writes', async () => {
    const at = await createWorkspace()
    at.write('users: [{ user_id: ada }, { user_id: grace }]\n')
    const { host, done } = at.world.start(['workspace', 'apply', 'school.yaml'], { tty: true })
    host.type('n\r')
    const { code, stderr } = await done
    expect(code).toBe(10)
    expect(stderr).toContain('+ user ada')
    expect(stderr).toContain('Type 2 to continue')
    expect(await at.users()).toEqual([])
  })

  test('workspace apply --yes exits 10 for 21 writes, unless --max allows 21', async () => {
    const at = await createWorkspace()
    at.write(`users: [${Array.from({ length: 21 }, (_, i) => `{ user_id: u${i} }`).join(', ')}]\n`)
    expect(await at.run('workspace apply school.yaml --yes')).toMatchObject({ code: 10, writes: [] })
    expect(await at.run('workspace apply school.yaml --yes --max 20')).toMatchObject({ code: 10, writes: [] })
    expect((await at.run('workspace apply school.yaml --yes --max 21')).writes).toHaveLength(21)
  })

  test('workspace apply --dry-run prints the plan, and writes to neither the service nor the lock file', async () => {
    const at = await createWorkspace()
    at.write('users: [{ user_id: ada }]\n')
    const { code, stdout, writes } = await at.run('workspace apply school.yaml --dry-run --yes -o json')
    expect([code, writes, at.lock()]).toEqual([0, [], undefined])
    expect(JSON.parse(stdout).plan).toMatchObject([{ sign: '+', kind: 'user', key: 'ada' }])
  })

  test('workspace apply exits 2 for a protected profile before any request', async () => {
    const at = await createWorkspace()
    const { MEETROOM_BASE_URL, MEETROOM_API_KEY } = {
      MEETROOM_BASE_URL: undefined,
      MEETROOM_API_KEY: undefined,
    }
    await at.world.run(['auth', 'login', '--with-token', '--base-url', 'https://meet.test/v1'], {
      stdin: at.world.apiKey,
      env: { MEETROOM_BASE_URL, MEETROOM_API_KEY },
    })
    await at.world.run('profiles protect default')
    at.write('users: [{ user_id: ada }]\n')
    const run = await at.run(apply, { env: { MEETROOM_BASE_URL, MEETROOM_API_KEY } })
    expect([run.code, run.writes, at.world.requests]).toEqual([2, [], []])
  })
})

describe('workspace apply for rooms', () => {
  test('workspace apply exits 8 if a new room has an existing name, and workspace adopt adopts the existing room', async () => {
    const at = await createWorkspace()
    const id = await at.room('Algebra')
    at.write(algebra())
    expect((await at.diff()).lines).toEqual([
      '! exists room algebra; a room has this name; “workspace adopt” adopts it',
    ])
    expect(await at.run(apply)).toMatchObject({ code: 8, writes: [] })
    expect(await at.run('workspace adopt school.yaml --dry-run')).toMatchObject({ code: 0, writes: [] })
    expect(at.lock()?.sections[0].rooms.algebra).toBeUndefined()
    expect((await at.run('workspace adopt school.yaml')).code).toBe(0)
    expect(at.lock().sections[0].rooms.algebra.id).toBe(id)
    expect(await at.diff()).toMatchObject({ code: 0, lines: [] })
  })

  test('workspace diff reports two rooms with the same name, and suggests workspace adopt after one is renamed', async () => {
    const at = await createWorkspace()
    const ids = [await at.room('Algebra'), await at.room('Algebra')].reverse()
    at.write(algebra())
    expect((await at.diff()).lines[0]).toBe(
      `! exists room algebra; 2 rooms have this name: ${ids.join(', ')}`,
    )
    const { code, stdout } = await at.run('workspace adopt school.yaml -o json')
    expect(code).toBe(8)
    expect(JSON.parse(stdout).rooms).toMatchObject([{ key: 'algebra', status: 'ambiguous', room_id: null }])
    const hint = /hint: .*: meetroom (.*)\n/
    for (const command of ['diff', 'apply --yes']) {
      const { stderr } = await at.run(`workspace ${command} school.yaml`)
      expect(stderr).toContain(
        'hint: rename or delete the other rooms with this name, or change the name in the file: meetroom rooms list --name Algebra --base-url https://meet.test/v1\n',
      )
      const [, list = ''] = hint.exec(stderr) ?? []
      expect((await at.run(`${list} -o ids`)).stdout.trim().split('\n')).toEqual(ids)
    }
    await at.run(`rooms update ${ids[1]} --name Geometry`)
    const [, adopt = ''] = hint.exec((await at.run('workspace diff school.yaml')).stderr) ?? []
    expect(adopt).toContain('workspace adopt school.yaml')
    expect((await at.run(adopt)).code).toBe(0)
    expect(at.lock().sections[0].rooms.algebra.id).toBe(ids[0])
  })

  test('workspace diff and adopt agree on a name owned by another room key', async () => {
    const at = await createWorkspace()
    at.write(algebra())
    await at.run(apply)
    const [{ id }] = await at.rooms()
    at.write('rooms:\n  - { key: algebra }\n  - { key: other, name: Algebra, type: private }\n')
    const [owned, free] = ['the room belongs to the key “algebra”', '“workspace adopt” adopts it']
    const diff = await at.diff()
    expect(diff.lines).toEqual([`! exists room other; ${owned}`])
    expect((await at.run('workspace diff school.yaml')).stderr).toContain('rooms list --name Algebra')
    const refused = await at.run('workspace adopt school.yaml -o json')
    expect([refused.code, JSON.parse(refused.stdout).rooms]).toEqual([
      8,
      [{ key: 'other', name: 'Algebra', room_id: id, status: 'taken', reason: owned }],
    ])
    const second = await at.room('Algebra')
    expect((await at.diff()).lines).toEqual([`! exists room other; a room has this name; ${free}`])
    expect((await at.run('workspace adopt school.yaml')).code).toBe(0)
    expect(at.lock().sections[0].rooms).toMatchObject({ algebra: { id }, other: { id: second } })
  })

  test('workspace apply --prune keeps a room with a new key, and workspace adopt records the key', async () => {
    const at = await createWorkspace()
    at.write(algebra())
    await at.run(apply)
    const [{ id }] = await at.rooms()
    at.write(algebra().replace('key: algebra', 'key: maths'))
    const second = await at.room('Algebra')
    expect(await at.run(`${apply} --prune=rooms`)).toMatchObject({ code: 8, writes: [] })
    await at.world.send('DELETE', `/rooms/${second}`)
    expect(await at.run(`${apply} --prune=rooms`)).toMatchObject({ code: 8, writes: [] })
    await at.run('workspace adopt school.yaml')
    expect(at.lock().sections[0].rooms).toMatchObject({ maths: { id } })
    expect(await at.diff('--prune=rooms')).toMatchObject({ code: 0, lines: [] })
  })

  test('workspace diff finds a renamed room by its ID, even if another room has the former name', async () => {
    const at = await createWorkspace()
    at.write(algebra())
    await at.run(apply)
    const [{ id }] = await at.rooms()
    await at.world.send('PUT', `/rooms/${id}`, { name: 'Geometry' })
    await at.room('Algebra')
    expect((await at.diff()).lines).toEqual([
      '~ room algebra; name: Geometry → Algebra',
      expect.stringMatching(/^\* not_in_file room \w+$/),
    ])
  })

  test('workspace apply recreates a deleted room only with --recreate', async () => {
    const at = await createWorkspace()
    await at.user('ada')
    at.write(algebra('[{ user_id: ada }]'))
    await at.run(apply)
    await at.room('Other')
    const id = at.lock().sections[0].rooms.algebra.id
    await at.world.send('DELETE', `/rooms/${id}`)
    expect((await at.diff()).lines[0]).toBe(
      `! gone room algebra; room ${id} no longer exists; --recreate algebra creates it again`,
    )
    expect(await at.run(apply)).toMatchObject({ code: 8, writes: [] })
    expect(await at.run(`${apply} --recreate algebra`)).toMatchObject({ code: 0 })
    expect(at.lock().sections[0].rooms.algebra.id).not.toBe(id)
    expect((await at.run(`${apply} --recreate nothing`)).code).toBe(2)
  })

  test('workspace diff exits 2 if new rooms have the same name or no type', async () => {
    const at = await createWorkspace()
    at.write('rooms:\n  - { key: a, name: N, type: open }\n  - { key: b, name: N, type: open }\n')
    const same = await at.run('workspace diff school.yaml')
    expect([same.code, same.stderr]).toEqual([
      2,
      expect.stringContaining('school.yaml:2:5: rooms[0] (a): another room'),
    ])
    at.write('rooms:\n  - { key: a, name: N }\n')
    const typeless = await at.run('workspace diff school.yaml')
    expect([typeless.code, typeless.stderr]).toEqual([2, expect.stringContaining('rooms[0] (a) has no type')])
  })

  test('workspace apply exits 0 and skips room changes that the API does not support', async () => {
    const at = await createWorkspace()
    at.write(algebra('[]', ', record: true'))
    await at.run(apply)
    at.write('rooms: [{ key: algebra, name: Maths, type: open, record: false, max_meeting_seconds: 60 }]\n')
    expect((await at.diff()).lines).toEqual([
      '~ room algebra; name: Algebra → Maths',
      '! cannot room algebra; type: private → open, record: true → false, max_meeting_seconds: null → 60; type, record, max_meeting_seconds can be set only at creation',
    ])
    const [{ id }] = await at.rooms()
    expect(await at.run(apply)).toMatchObject({ code: 0, writes: [`PUT /rooms/${id} {"name":"Maths"}`] })
    expect((await at.diff()).code).toBe(0)
    expect((await at.diff('--strict')).code).toBe(9)
  })

  test('workspace apply adds the members of a new terminated room before the termination', async () => {
    const at = await createWorkspace()
    await at.user('ada')
    at.write(algebra('[{ user_id: ada, type: host }]', ', is_terminated: true'))
    const { writes } = await at.run(apply)
    expect(writes.map((write) => write.replace(/[0-9a-f]{24}/, 'ID'))).toEqual([
      'POST /rooms {"name":"Algebra","type":"private"}',
      'POST /rooms/ID/members {"user_id":"ada","type":"host"}',
      'PUT /rooms/ID {"is_terminated":true}',
    ])
    expect((await at.diff()).code).toBe(0)
  })
})

describe('workspace apply with conflicts', () => {
  test('workspace apply reports items that changed after the plan as failed, and writes the other items', async () => {
    const at = await createWorkspace()
    for (const id of ['ada', 'grace']) await at.user(id)
    at.write('users: [{ user_id: ada, name: Ada }, { user_id: grace, name: Grace }, { user_id: new }]\n')
    let listed = false
    at.world.intercept = async (request, next) => {
      if (request.method === 'GET' && request.url.includes('/users?')) listed = true
      else if (listed && request.url.endsWith('/users/ada') && request.method === 'GET')
        await at.world.send('PUT', '/users/ada', { name: 'Somebody else' })
      else if (listed && request.url.endsWith('/users/new') && request.method === 'GET') await at.user('new')
      return next()
    }
    const { code, stdout, writes } = await at.run(`${apply} -o json`)
    expect([code, writes]).toEqual([8, ['PUT /users/grace {"name":"Grace"}']])
    expect(JSON.parse(stdout).results.map(({ key, status, reason }: any) => [key, status, reason])).toEqual([
      ['ada', 'failed', 'name is Somebody else now, not User ada as in the plan'],
      ['grace', 'ok', null],
      ['new', 'failed', 'user new was created after the plan; apply again'],
    ])
    expect((await at.users()).find(({ user_id }) => user_id === 'ada').name).toBe('Somebody else')
  })

  test('workspace apply --prune creates and removes no users if the list of users is incomplete', async () => {
    const at = await createWorkspace()
    for (const id of ['ada', 'grace']) await at.user(id)
    at.write('users: [{ user_id: ada, name: Ada }, { user_id: new }]\n')
    at.world.intercept = async (request, next) => {
      const response = await next()
      if (!request.url.includes('/users?')) return response
      const { users } = JSON.parse(new TextDecoder().decode(response.body))
      return answer(200, {
        users: users.filter(({ user_id }: any) => user_id !== 'grace'),
        paging: { limit: 1000, offset: 0, total: 9 },
      })
    }
    const { code, stdout, writes } = await at.run(`${apply} --prune=users -o json`)
    expect([code, writes]).toEqual([8, ['PUT /users/ada {"name":"Ada"}']])
    expect(JSON.parse(stdout).results).toMatchObject([{ key: 'ada' }, { key: 'new', action: 'unread' }])
  })
})

test('workspace apply exits 8 and sends no write if the list of rooms is incomplete', async () => {
  const at = await createWorkspace()
  at.write(algebra())
  await at.run(apply)
  at.write('rooms: [{ key: other, name: Other, type: open }]\n')
  at.world.intercept = async (request, next) => {
    const response = await next()
    if (!request.url.includes('/rooms?')) return response
    const body = JSON.parse(new TextDecoder().decode(response.body))
    return answer(200, { ...body, paging: { ...body.paging, total: 9 } })
  }
  const { code, stderr, writes } = await at.run(`${apply} --prune=rooms --quiet`)
  expect({ code, stderr, writes }).toEqual({
    code: 8,
    stderr: 'error: the service listed 1 of 9 rooms\n',
    writes: [],
  })
})

describe('the lock file', () => {
  test('workspace diff and workspace apply exit 2 for the lock file of another workspace', async () => {
    const at = await createWorkspace()
    at.write(algebra())
    await at.run(apply)
    const path = join(at.world.dir, 'school.yaml.lock')
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/"application_id": "\w+"/, '"application_id": "other"'),
    )
    for (const line of ['workspace diff school.yaml', `${apply} --prune=rooms`]) {
      const { code, stderr, writes } = await at.run(line)
      expect([code, writes]).toEqual([2, []])
      expect(stderr).toContain('school.yaml.lock belongs to workspace other at https://meet.test/v1')
    }
  })

  test('workspace diff exits 2 if the file names another profile, and quotes the profile in the hint', async () => {
    const at = await createWorkspace()
    at.write('workspace: $(reboot)\nusers: []\n')
    const { code, stderr } = await at.run('workspace diff school.yaml')
    expect(code).toBe(2)
    expect(stderr).toContain('the file belongs to the profile “$(reboot)”, and this is the profile “default”')
    expect(stderr).toContain(
      "hint: use that profile: meetroom workspace diff school.yaml --profile '$(reboot)' --base-url https://meet.test/v1, or change “workspace” in the file\n",
    )
  })

  test('workspace diff exits 2 if no room of the lock file exists, unless the workspace file names the profile', async () => {
    const at = await createWorkspace()
    at.write(algebra())
    await at.run(apply)
    const [{ id }] = await at.rooms()
    await at.world.send('DELETE', `/rooms/${id}`)
    const refused = await at.run('workspace diff school.yaml')
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('add this line to the workspace file: workspace: default'),
    ])
    at.write(`workspace: default\n${algebra()}`)
    expect((await at.diff()).lines).toEqual([expect.stringContaining('! gone room algebra')])
    const json = { rooms: [{ key: 'algebra', name: 'Algebra', type: 'private' }] }
    at.write(JSON.stringify(json), 'school.json')
    at.write(JSON.stringify(at.lock()), 'school.json.lock')
    const { stderr } = await at.run('workspace diff school.json')
    const [, line = ''] = /add this line to the workspace file: (.*)\n/.exec(stderr) ?? []
    at.write(JSON.stringify(json).replace('{', `{${line}`), 'school.json')
    expect((await at.diff('', 'school.json')).lines).toEqual([expect.stringContaining('! gone room algebra')])
  })

  test.each([
    ['roster.csv', '--rooms-from class --users-from id', 'id,class\nada,7a\n', null],
    ['school.yaml', '', `workspace: default\n${algebra()}`, 'other'],
  ])(
    'workspace diff, adopt and apply of %s suggest a new lock file if no line of the file can name the profile',
    async (file, flags, text, profile) => {
      const at = await createWorkspace()
      at.write(text, file)
      expect((await at.run(`workspace apply ${file} ${flags} --yes`.split(/ +/))).code).toBe(0)
      const [{ id }] = await at.rooms()
      await at.world.send('DELETE', `/rooms/${id}`)
      const lock = at.lock(file)
      at.write(
        JSON.stringify({ ...lock, sections: [{ ...lock.sections[0], workspace: profile }] }),
        `${file}.lock`,
      )
      at.write('', `${file}.2.lock`)
      for (const command of [
        'diff',
        'adopt --dry-run',
        'apply --dry-run',
        `apply --yes --lock ${file}.lock`,
      ]) {
        const refused = await at.run(`workspace ${command} ${file} ${flags}`.trim().split(/ +/))
        const typed = command.replace(/ --(yes|lock).*/, '')
        const line = `workspace ${typed} ${file} ${flags} --lock ${file}.3.lock`.replace('  ', ' ')
        expect([refused.code, refused.writes, refused.stderr]).toEqual([
          2,
          [],
          `error: the service lists no rooms, so it is unknown whether ${file}.lock belongs to the workspace of this key\n` +
            `hint: start with a new lock file: meetroom ${line} --base-url https://meet.test/v1\n`,
        ])
        const { code, stderr } = await at.run(`${line} --yes`)
        expect(code, stderr).toBe(command === 'diff' ? 9 : 0)
      }
      expect(await at.rooms()).toHaveLength(1)
    },
  )

  test.each([
    ['{', 'school.yaml.lock cannot be read: it is not valid JSON'],
    [
      '{"version":2,"sections":[]}',
      'school.yaml.lock cannot be read: another version of meetroom wrote the file',
    ],
    ['{"version":1,"sections":[{}]}', 'school.yaml.lock cannot be read: it is not a lock file'],
  ])('workspace apply exits 2 before any request for the invalid lock file %s', async (text, problem) => {
    const at = await createWorkspace()
    at.write('users: [{ user_id: ada }]\n')
    at.write(text, 'school.yaml.lock')
    const { code, stderr } = await at.run(apply)
    expect([code, stderr, at.world.requests]).toEqual([2, expect.stringContaining(problem), []])
  })

  test('workspace apply exits 2 before any request if the lock file is a symbolic link or in use', async () => {
    const at = await createWorkspace()
    at.write('users: [{ user_id: ada }]\n')
    at.write('4243\n', 'school.yaml.lock.pid')
    const held = await at.run(apply)
    expect([held.code, held.stderr, at.world.requests]).toEqual([
      2,
      expect.stringContaining('another process uses school.yaml.lock (process 4243)'),
      [],
    ])
    const other = await createWorkspace()
    other.write('users: [{ user_id: ada }]\n')
    symlinkSync('elsewhere', join(other.world.dir, 'school.yaml.lock'))
    const linked = await other.run(apply)
    expect([linked.code, other.world.requests]).toEqual([2, []])
  })

  test('workspace apply without confirmation creates only the temporary file school.yaml.lock.pid', async () => {
    const at = await createWorkspace()
    at.write('users: [{ user_id: ada }]\n')
    const names = () => readdirSync(at.world.dir).sort()
    const before = names()
    const during = new Set<string>()
    at.world.intercept = async (_request, next) => {
      for (const name of names()) during.add(name)
      return next()
    }
    expect((await at.run('workspace apply school.yaml')).code).toBe(10)
    expect([...during].filter((name) => !before.includes(name))).toEqual(['school.yaml.lock.pid'])
    expect(names()).toEqual(before)
  })

  test('workspace adopt creates the lock file with mode 0600, and workspace apply keeps a changed mode', async () => {
    const at = await createWorkspace()
    await at.user('ada')
    at.write('users: [{ user_id: ada }]\n')
    const lock = join(at.world.dir, 'school.yaml.lock')
    await at.run('workspace adopt school.yaml')
    expect(statSync(lock).mode & 0o777).toBe(0o600)
    chmodSync(lock, 0o640)
    const { ino } = statSync(lock)
    expect((await at.run('workspace adopt school.yaml')).code).toBe(0)
    expect(statSync(lock).ino).toBe(ino)
    at.write('users: [{ user_id: ada }, { user_id: alan }]\n')
    expect((await at.run(apply)).code).toBe(0)
    expect(statSync(lock).ino).not.toBe(ino)
    expect(statSync(lock).mode & 0o777).toBe(0o640)
  })

  test('workspace apply exits 2 before any request if the directory of the workspace file does not exist', async () => {
    const at = await createWorkspace()
    at.write('users: [{ user_id: ada }]\n')
    const { code, stderr } = await at.run('workspace apply missing/school.yaml --yes')
    expect([code, at.world.requests], stderr).toEqual([2, []])
  })
})

test('workspace apply exits 130 at ^C, and the next run makes the remaining writes', async () => {
  const at = await createWorkspace()
  at.write(
    `workspace: default\nusers: [${Array.from({ length: 12 }, (_, i) => `{ user_id: u${i} }`).join(', ')}]\n`,
  )
  const { host, done } = at.world.start([...apply.split(' '), '--concurrency', '2'])
  let writes = 0
  at.world.intercept = async (request, next) => {
    if (request.method === 'POST' && ++writes === 4) host.signal('SIGINT')
    return next()
  }
  const { code } = await done
  expect(code).toBe(130)
  const created = (await at.users()).length
  expect(created).toBeGreaterThanOrEqual(4)
  expect(created).toBeLessThan(12)
  const again = await at.run(apply)
  expect([again.code, again.writes.length]).toEqual([0, 12 - created])
})

test('workspace apply skips the write of an item if ^C arrives after the read of the item', async () => {
  const at = await createWorkspace()
  at.write('workspace: default\nusers: [{ user_id: u0 }, { user_id: u1 }, { user_id: u2 }]\n')
  const { host, done } = at.world.start([...apply.split(' '), '--concurrency', '1'])
  let writes = 0
  at.world.intercept = async ({ method }, next) => {
    if (method === 'POST') writes++
    else if (writes === 1) host.signal('SIGINT')
    return next()
  }
  expect(await done).toMatchObject({
    code: 130,
    stderr: expect.stringContaining('applied 1 of 3 changes; 2 not tried'),
  })
  expect(writes).toBe(1)
})
