import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWorkspace } from '../../../helpers/workspace-file.ts'

const flags = '--rooms-from class --users-from pupil_id,name,email --role-from role'
const firstWeek = `pupil_id,name,email,class,role
007,Ada Lovelace,ada@school.test,7a,host
p2,Grace Hopper,,7a,guest
p2,Grace Hopper,,7b,Guest
p3,No Class,,,
`
const apply = `workspace apply roster.csv ${flags} --yes --max 500`

describe('a CSV roster', () => {
  test('workspace apply of a CSV roster creates users, private rooms and members', async () => {
    const at = await createWorkspace()
    at.write(firstWeek, 'roster.csv')
    const { code, stderr } = await at.run(apply)
    expect(code, stderr).toBe(0)
    expect((await at.users()).map(({ user_id, name, email }) => [user_id, name, email])).toEqual([
      ['p3', 'No Class', null],
      ['p2', 'Grace Hopper', null],
      ['007', 'Ada Lovelace', 'ada@school.test'],
    ])
    const rooms = await at.rooms()
    expect(rooms.map(({ name, type }) => [name, type]).sort()).toEqual([
      ['7a', 'private'],
      ['7b', 'private'],
    ])
    expect(await at.members(rooms.find(({ name }) => name === '7a').id)).toEqual(['007 host', 'p2 guest'])
    expect((await at.run(apply)).writes).toEqual([])
  })

  test('workspace apply of a CSV roster applies --room-type and --max-meeting-seconds only to new rooms', async () => {
    const at = await createWorkspace()
    at.write(firstWeek, 'roster.csv')
    const { stderr } = await at.run(`workspace diff roster.csv ${flags} --max-meeting-seconds 45m`)
    const [, hint] = /hint: make the changes with: meetroom (.*) --base-url/.exec(stderr) ?? []
    expect(hint).toContain('--max-meeting-seconds 2700 roster.csv')
    expect((await at.run(`${hint} --room-type public --yes`)).code).toBe(0)
    expect((await at.rooms()).map((room) => [room.type, room.max_meeting_seconds])).toEqual([
      ['public', 2700],
      ['public', 2700],
    ])
    const again = await at.run(`${apply} --max-meeting-seconds 90m`)
    expect([again.code, again.writes]).toEqual([0, []])
  })

  test('workspace diff of a CSV roster suggests workspace apply with the same flags', async () => {
    const at = await createWorkspace()
    at.write(firstWeek, 'roster.csv')
    const roster = '--rooms-from class --users-from pupil_id,name,email --role-from role'
    const { code, stderr } = await at.run(`workspace diff roster.csv ${flags} --prune=members,users`)
    const [, hint] = /hint: make the changes with: meetroom (.*) --base-url/.exec(stderr) ?? []
    expect({ code, hint }).toEqual({
      code: 9,
      hint: `workspace apply ${roster} --prune members,users roster.csv`,
    })
    expect((await at.run(`${hint} --yes`)).code).toBe(0)
  })

  test('workspace diff and apply of a CSV roster suggest workspace adopt if a room already exists', async () => {
    const at = await createWorkspace()
    at.write(firstWeek, 'roster.csv')
    await at.run('rooms create --name 7a --type private')
    for (const command of ['diff', 'apply --yes']) {
      const { stderr } = await at.run(`workspace ${command} roster.csv ${flags} --prune=members`)
      expect(stderr).toContain(
        'hint: adopt existing rooms with: meetroom workspace adopt --rooms-from class --users-from pupil_id,name,email --role-from role roster.csv',
      )
    }
  })

  test('workspace apply of a CSV roster applies --role-map and --split, and skips empty rows', async () => {
    const at = await createWorkspace()
    at.write(
      'id;name;class;role\n1;Ada;7a, 7b;Lehrer/in\n\n2;Bea;7A;SCHÜLER/IN\n; ;;\n3;Cleo;7b,7c;guest\n',
      'list.csv',
    )
    const line = (command: string) =>
      `workspace ${command} list.csv --rooms-from class --users-from id,name --role-from role`.split(' ')
    const refused = await at.run(line('diff'))
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'error: list.csv: 2 values are not guest, host or monitor: “Lehrer/in” (1 row from line 2), “SCHÜLER/IN” (1 row from line 4)\n' +
        "hint: name their roles, as in --role-map 'Lehrer/in=host,SCHÜLER/IN=guest'\n",
    ])
    expect(at.world.requests).toEqual([])
    const map = ['--role-map', 'Lehrer/in=host,Schüler/in=guest']
    const whole = await at.run([...line('diff'), ...map, '--role-map', 'owner=host'])
    expect(whole.code).toBe(9)
    expect(whole.stderr).toContain(
      'skipped 2 empty rows\n' +
        'warning: no row has the role “owner” of --role-map; the rows have “Lehrer/in”, “SCHÜLER/IN”, “guest”\n' +
        "warning: list.csv:2: “7a, 7b” looks like a list; --split ', ' splits it into items\n" +
        "warning: list.csv:6: “7b,7c” looks like a list; --split ',' splits it into items\n",
    )
    const split = await at.run([...line('diff'), ...map, '--split', ', '])
    expect(split.stderr).toContain(
      'skipped 2 empty rows\nwarning: list.csv:4: name “7A” differs from the value in line 2 only by letter case\n',
    )
    const [, hint = ''] = /hint: make the changes with: meetroom (.*) --base-url/.exec(split.stderr) ?? []
    expect(hint).toContain("--role-map 'Lehrer/in=host,Schüler/in=guest' --split ', '")
    expect((await at.run([...line('apply'), ...map, '--split', ', ', '--yes'])).code).toBe(0)
    const rooms = await at.rooms()
    expect(rooms.map(({ name }) => name).sort()).toEqual(['7A', '7a', '7b', '7c'])
    expect(await at.members(rooms.find(({ name }) => name === '7b').id)).toEqual(['1 host', '3 guest'])
  })

  test.each([
    ['Lehrer', 'Lehrer'],
    ['=host', '=host'],
    ['Lehrer=boss', 'Lehrer=boss'],
  ])('workspace diff --role-map %s exits 2', async (map, shown) => {
    const at = await createWorkspace()
    const { code, stderr } = await at.run(['workspace', 'diff', 'roster.csv', '--role-map', map])
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      `error: --role-map must be VALUE=ROLE with the role guest, host or monitor, not “${shown}”`,
    ])
  })

  test('workspace apply exits 2 for an Excel workbook and suggests CSV', async () => {
    const at = await createWorkspace()
    for (const file of ['roster.xlsx', 'roster.csv']) {
      at.write('PK\u0003\u0004 xl/workbook.xml', file)
      for (const given of [` ${flags}`, file.endsWith('csv') ? ` ${flags}` : '']) {
        const { code, stderr } = await at.run(`workspace apply ${file}${given}`)
        expect([code, stderr]).toEqual([
          2,
          expect.stringContaining(`error: ${file} is an Excel workbook; save it as CSV (UTF-8)\n`),
        ])
      }
    }
  })

  test('workspace apply --prune of a changed CSV roster adds, updates and blocks only the affected members', async () => {
    const at = await createWorkspace()
    at.write(firstWeek, 'roster.csv')
    await at.run(apply)
    at.write(
      firstWeek
        .replace('p2,Grace Hopper,,7b,Guest\n', 'p4,Alan,,7b,guest\n')
        .replace('7a,guest', '7a,monitor'),
      'roster.csv',
    )
    const { code, writes } = await at.run(`${apply} --prune=members`)
    expect(code).toBe(0)
    expect(writes.map((write) => write.replace(/[0-9a-f]{24}/g, 'ID'))).toEqual([
      'POST /users {"user_id":"p4","name":"Alan"}',
      'POST /rooms/ID/members {"user_id":"p4","type":"guest"}',
      'PUT /rooms/ID/members/ID {"type":"monitor"}',
      'PUT /rooms/ID/members/ID {"is_blocked":true}',
    ])
    at.write(firstWeek, 'roster.csv')
    const back = await at.run(`${apply} --prune=members`)
    expect(back.writes.map((write) => write.replace(/[0-9a-f]{24}/g, 'ID'))).toEqual([
      'PUT /rooms/ID/members/ID {"type":"guest"}',
      'PUT /rooms/ID/members/ID {"is_blocked":false}',
      'PUT /rooms/ID/members/ID {"is_blocked":true}',
    ])
  })

  test.each([
    ['pupil_id,name,email,class,role\n', 'roster.csv has no rows, and a roster without users is refused'],
    ['', 'roster.csv is empty: the first line of a CSV file names its columns'],
    ['pupil_id,name,email,klass,role\nx,,,7a,\n', 'roster.csv has no column “class”'],
    [
      'pupil_id,name,email,class,role\nx,,,7a,hosts\n',
      'roster.csv: 1 value is not guest, host or monitor: “hosts” (1 row from line 2)',
    ],
    ['pupil_id,name,email,class,role\n,,,7a,\n', 'roster.csv:2: pupil_id: the user ID is empty'],
    ['pupil_id,name,email,class,role\nx,,,7a\n', 'roster.csv:2: 4 cells instead of 5'],
    [
      'pupil_id,name,email,class,role\nx,A,,7a,\nx,B,,7b,\n',
      'roster.csv:3: the name of x differs from line 2',
    ],
    [
      'pupil_id,name,email,class,role\nx,A,,7a,host\nx,A,,7a,guest\n',
      'roster.csv:3: the role of x in 7a differs from line 2',
    ],
  ])('workspace apply exits 2 before any request for the CSV roster %j', async (text, problem) => {
    const at = await createWorkspace()
    at.write(text, 'roster.csv')
    const { code, stderr } = await at.run(apply)
    expect([code, stderr, at.world.requests]).toEqual([2, expect.stringContaining(problem), []])
  })

  test('workspace diff of a CSV roster warns about list-like cells and near-duplicate values', async () => {
    const at = await createWorkspace()
    const flags = '--rooms-from class --users-from mail,name'
    at.write('mail,name,class\nAda@x.test,Ada,7a\n007,Bo,7a\n', 'list.csv')
    await at.run(`workspace apply list.csv ${flags} --yes`)
    at.write(
      'mail,name,class\nada@x.test,Ada,7A / 8b\nADA@x.test,a@x.test,7c und 7d\nb,B,7A\n7,Bo,7A\n',
      'list.csv',
    )
    const { stdout, stderr } = await at.run(`workspace diff list.csv ${flags}`)
    expect(stderr).toContain(
      "warning: list.csv:2: “7A / 8b” looks like a list; --split ' / ' splits it into items\n" +
        "warning: list.csv:3: “7c und 7d” looks like a list; --split ' und ' splits it into items\n" +
        'warning: list.csv:3: user_id “ADA@x.test” differs from the value in line 2 only by letter case\n' +
        'warning: list.csv:3: the name of “ADA@x.test” is an email; --users-from names the columns of ID, name and email, such as email,name,email\n',
    )
    expect(stdout).toContain('name: Ada; “Ada@x.test” exists and differs only by letter case\n')
    expect(stdout).toContain('name: 7A; “7a” exists and differs only by letter case\n')
    expect(stdout).toContain('name: Bo; “007” exists and differs only by leading zeros\n')
  })

  test('workspace diff and apply of a CSV roster print one error per invalid row, up to 20', async () => {
    const at = await createWorkspace()
    const head = 'pupil_id,name,email,class,role\n'
    at.write(`${head}p1,A,,7a,guest\n,B,,7a,\np/3,C,,7b,host\np1,D,,7b,\np4\np5,E,,7b,Boss\n`, 'roster.csv')
    const { code, stderr } = await at.run(apply)
    expect([code, stderr, at.world.requests]).toEqual([
      2,
      'error: roster.csv:3: pupil_id: the user ID is empty\n' +
        'error: roster.csv:5: the name of p1 differs from line 2\n' +
        'error: roster.csv:6: 1 cell instead of 5\n' +
        'error: roster.csv: 1 value is not guest, host or monitor: “Boss” (1 row from line 7)\n' +
        'hint: name its role with --role-map: guest, host or monitor\n' +
        'error: invalid rows: 3 of 6; nothing was sent\n' +
        'hint: fix the rows: a roster is applied only as a whole\n',
      [],
    ])
    at.write(head + ',,,7a,\n'.repeat(25), 'roster.csv')
    const lines = (await at.run(`workspace diff roster.csv ${flags}`)).stderr.split('\n')
    expect(lines.slice(19, 22)).toEqual([
      'error: roster.csv:21: pupil_id: the user ID is empty',
      'and 5 more',
      'error: invalid rows: 25 of 25; nothing was sent',
    ])
  })

  test('workspace apply --users-from joins the columns of a name, and reports missing and ignored columns', async () => {
    const at = await createWorkspace()
    at.write('id,first,last,class,Role,\n1,Ada,Lovelace,7a,,\n2,,Hopper,7a,,\n', 'roster.csv')
    const line = (name: string) =>
      `workspace apply roster.csv --rooms-from class --yes --users-from id,${name}`
    const join = (name: string) => at.run([...line('').split(' ').slice(0, -1), `id,${name}`])
    const refused = await join('{frist} {last}')
    expect([refused.code, refused.stderr]).toEqual([
      2,
      "error: roster.csv has no column “frist”\nhint: did you mean: meetroom workspace apply roster.csv --rooms-from class --yes --users-from 'id,{first} {last}' --base-url https://meet.test/v1\n",
    ])
    const done = await join('{first} {last}')
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('ignored column Role\n')])
    expect((await at.users()).map(({ name }) => name).sort()).toEqual(['Ada Lovelace', 'Hopper'])
  })

  test('workspace diff exits 2 for a CSV roster without column flags, and for a YAML file with them', async () => {
    const at = await createWorkspace()
    at.write(firstWeek, 'roster.csv')
    expect(await at.run('workspace diff roster.csv')).toMatchObject({ code: 2 })
    at.write('users: []\n')
    expect(await at.run(`workspace diff school.yaml ${flags}`)).toMatchObject({ code: 2 })
  })
})

describe('workspace apply --prune', () => {
  const people = (count: number) => Array.from({ length: count }, (_, i) => `p${i},,,7a,guest\n`).join('')
  const head = 'pupil_id,name,email,class,role\n'

  test('workspace apply --prune removes 4 of 12 members only with --allow-large members=4', async () => {
    const at = await createWorkspace()
    at.write(head + people(12), 'roster.csv')
    await at.run(apply)
    at.write(head + people(8), 'roster.csv')
    for (const line of [`${apply} --prune=members`, `${apply} --prune=members --allow-large members=5`]) {
      const refused = await at.run(line)
      expect([refused.code, refused.writes]).toEqual([10, []])
      expect(refused.stderr).toContain('4 of 12 members in the lock file would be removed')
    }
    const { code, writes } = await at.run(`${apply} --prune=members --allow-large members=4`)
    expect([code, writes.length]).toEqual([0, 4])
  })

  test('workspace diff --prune plans removals only for unprotected items that workspace apply created', async () => {
    const at = await createWorkspace()
    await at.user('stranger')
    at.write(
      `users: [{ user_id: a, protected: true }, { user_id: b }, { user_id: c }]\nrooms:\n  - { key: x, name: X, type: private, protected: true, members: [{ user_id: a }, { user_id: b }] }\n  - { key: y, name: Y, type: open, members: [{ user_id: a }, { user_id: c }] }\n`,
    )
    await at.run('workspace apply school.yaml --yes')
    const rooms = await at.rooms()
    await at.world.send('POST', `/rooms/${rooms.find(({ name }) => name === 'X').id}/members`, {
      user_id: 'stranger',
    })
    at.write('users: [{ user_id: c }]\nrooms:\n  - { key: x, name: X, members: [] }\n')
    expect((await at.diff('--prune=members,users,rooms')).lines).toEqual([
      '- member x/b; is_blocked: false → true; the API cannot remove members; the member is blocked',
      '- member x/a; is_blocked: false → true; the API cannot remove members; the member is blocked',
      expect.stringMatching(/^- room y; not restorable: /),
      expect.stringMatching(/^- user b; not restorable: /),
      '* not_in_file user a; protected',
      '* not_in_file user stranger',
      '* not_in_file member x/stranger',
    ])
    at.write('users: [{ user_id: c }]\nrooms: []\n')
    expect((await at.diff('--prune=rooms')).lines).toContain('* not_in_file room x; protected')
  })

  test('workspace apply --prune keeps the user and the room of a protected member', async () => {
    const at = await createWorkspace()
    at.write(
      `users: [{ user_id: a }, { user_id: b }]\nrooms:\n  - { key: x, name: X, type: private, members: [{ user_id: a, protected: true }, { user_id: b }] }\n  - { key: y, name: Y, type: open, members: [{ user_id: a }] }\n`,
    )
    await at.run('workspace apply school.yaml --yes')
    at.write('users: []\nrooms: []\n')
    expect((await at.diff('--prune=members,users,rooms')).lines).toEqual([
      expect.stringMatching(/^- room y; not restorable: /),
      expect.stringMatching(/^- user b; not restorable: /),
      '* not_in_file user a; is a protected member of a room',
      '* not_in_file room x; has a protected member',
    ])
    at.write('users: []\n')
    expect((await at.run('workspace apply school.yaml --prune=users --yes --no-save')).writes).toEqual([
      'DELETE /users/b',
    ])
    at.write('rooms: [{ key: x, name: X, members: [{ user_id: a, protected: false }] }]\n')
    expect((await at.run('workspace apply school.yaml --yes')).code).toBe(0)
    at.write('users: []\nrooms: []\n')
    expect((await at.diff('--prune=users,rooms')).lines).toEqual([
      expect.stringMatching(/^- room y; not restorable: /),
      expect.stringMatching(/^- room x; not restorable: /),
      expect.stringMatching(/^- user a; not restorable: /),
    ])
  })

  test('workspace apply --prune exits 8 after a failed removal and makes the other changes', async () => {
    const at = await createWorkspace()
    at.write(
      `users: [{ user_id: a }, { user_id: b }]\nrooms:\n  - { key: x, name: X, type: open, members: [{ user_id: a }] }\n  - { key: y, name: Y, type: private, members: [{ user_id: a }] }\n`,
    )
    await at.run('workspace apply school.yaml --yes')
    at.write(
      'users: [{ user_id: new }]\nrooms:\n  - { key: x, name: X2, members: [] }\n  - { key: y, name: Y, members: [] }\n',
    )
    at.world.intercept = async (request, next) =>
      request.method === 'DELETE' && request.url.endsWith('/users/a')
        ? { ...(await next({ ...request, method: 'GET' })), status: 400 }
        : next()
    const { code, stdout, writes } = await at.run(
      'workspace apply school.yaml --yes --prune=members,users -o json --no-save',
    )
    expect(code).toBe(8)
    expect(
      JSON.parse(stdout).results.map(({ action, kind, key, status }: any) => [action, kind, key, status]),
    ).toEqual([
      ['create', 'user', 'new', 'ok'],
      ['change', 'room', 'x', 'ok'],
      ['remove', 'member', 'a', 'ok'],
      ['remove', 'user', 'b', 'ok'],
      ['remove', 'user', 'a', 'failed'],
      ['cannot', 'member', 'a', null],
    ])
    expect(writes).toHaveLength(5)
  })

  test('workspace apply --prune saves the removed records in files that an import restores', async () => {
    const at = await createWorkspace()
    at.write(
      `users: [{ user_id: a, name: Ada }]\nrooms:\n  - { key: x, name: X, type: open, members: [{ user_id: a, type: host }] }\n`,
    )
    await at.run('workspace apply school.yaml --yes')
    at.write('users: []\nrooms: []\n')
    const { code, stderr } = await at.run('workspace apply school.yaml --yes --prune=users,rooms')
    expect(code, stderr).toBe(0)
    expect([await at.users(), await at.rooms()]).toEqual([[], []])
    const saved = readdirSync(at.world.dir).filter((name) => name.endsWith('.ndjson'))
    expect(saved).toHaveLength(2)
    expect(stderr).toContain('not restored:')
    for (const kind of ['users', 'rooms']) {
      const holds = (name: string) =>
        readFileSync(join(at.world.dir, name), 'utf8').includes('"type":"open"') === (kind === 'rooms')
      await at.world.run(`${kind} import ${saved.find(holds)} --no-journal`)
    }
    expect((await at.users()).map(({ name }) => name)).toEqual(['Ada'])
    expect((await at.rooms()).map(({ name }) => name)).toEqual(['X'])
  })

  test('workspace diff reports a listed member that another client blocked, and plans no unblock', async () => {
    const at = await createWorkspace()
    await at.user('a')
    const room = await at.room('X', [{ user_id: 'a' }])
    at.write('rooms: [{ key: x, name: X, type: private, members: [{ user_id: a }] }]\n')
    await at.run('workspace adopt school.yaml')
    const { body } = await at.world.send('GET', `/rooms/${room}/members`)
    await at.world.send('PUT', `/rooms/${room}/members/${body.members[0].id}`, { is_blocked: true })
    expect((await at.diff()).lines).toEqual([
      '! cannot member x/a; blocked by other means; “members unblock” unblocks the member',
    ])
  })
})

describe('plan file', () => {
  test('workspace apply --plan exits 9 and prints the differences if the current plan differs, also with --dry-run', async () => {
    const at = await createWorkspace()
    await at.user('ada')
    await at.room('R')
    at.write('users: [{ user_id: ada, name: Ada }, { user_id: new }]\n')
    expect(await at.run('workspace diff school.yaml --out plan.json')).toMatchObject({ code: 9 })
    await at.world.send('PUT', '/users/ada', { name: 'Augusta' })
    const difference =
      'only in plan.json: ~ user ada (User ada)  name: User ada → Ada\n' +
      'only in the current plan: ~ user ada (Augusta)  name: Augusta → Ada\n' +
      'error: the current plan differs from plan.json; nothing was changed\n' +
      'hint: write and review a new plan: meetroom workspace diff school.yaml --out plan.json --base-url https://meet.test/v1\n'
    for (const flags of ['--dry-run', '--yes']) {
      const changed = await at.run(`workspace apply school.yaml --plan plan.json ${flags}`)
      expect([changed.code, changed.writes]).toEqual([9, []])
      expect(changed.stderr).toContain(difference)
    }
    await at.world.send('PUT', '/users/ada', { name: 'User ada' })
    await at.user('somebody')
    expect((await at.run('workspace apply school.yaml --plan plan.json --dry-run')).code).toBe(0)
    const same = await at.run('workspace apply school.yaml --plan plan.json --yes')
    expect([same.code, same.writes.length]).toEqual([0, 2])
  })

  test('workspace apply --plan exits 0 if the first room of the workspace is created after the plan', async () => {
    const at = await createWorkspace()
    at.write('users: [{ user_id: new }]\n')
    await at.run('workspace diff school.yaml --out plan.json')
    await at.room('R')
    expect(await at.run('workspace apply school.yaml --plan plan.json --yes')).toMatchObject({ code: 0 })
  })

  test('workspace apply --plan applies the --prune of the plan, and exits 2 if --prune is given again', async () => {
    const at = await createWorkspace()
    at.write('workspace: default\nusers: [{ user_id: a }]\n')
    await at.run('workspace apply school.yaml --yes')
    at.write('workspace: default\nusers: []\n')
    const diff = await at.run(
      'workspace diff school.yaml --prune=users --lock school.yaml.lock --out plan.json',
    )
    expect(diff.stderr).toContain(
      'hint: make the changes with: meetroom workspace apply --lock school.yaml.lock --plan plan.json school.yaml --base-url https://meet.test/v1\n',
    )
    expect(await at.run('workspace apply school.yaml --plan plan.json --prune=users --yes')).toMatchObject({
      code: 2,
      writes: [],
    })
    expect((await at.run('workspace apply school.yaml --plan plan.json --yes --no-save')).writes).toEqual([
      'DELETE /users/a',
    ])
    at.write('{}', 'plan.json')
    expect(await at.run('workspace apply school.yaml --plan plan.json --yes')).toMatchObject({ code: 2 })
  })

  test.each(['school.yaml', 'school.yaml.lock'])(
    'workspace diff --out overwrites an earlier plan, and exits 2 for the existing file %s',
    async (file) => {
      const at = await createWorkspace()
      at.write('users: [{ user_id: a }]\nrooms: [{ key: x, name: X, type: open }]\n')
      for (let run = 0; run < 2; run++)
        expect((await at.run('workspace diff school.yaml --out plan.json')).code).toBe(9)
      await at.run('workspace apply school.yaml --plan plan.json --yes')
      const text = readFileSync(join(at.world.dir, file), 'utf8')
      at.world.requests.length = 0
      expect(await at.run(`workspace diff school.yaml --out ${file}`)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: ${file} already exists, and is not a plan\nhint: pass a new file\n`,
      })
      expect(at.world.requests).toEqual([])
      expect(readFileSync(join(at.world.dir, file), 'utf8')).toBe(text)
    },
  )
})
