import { describe, expect, test } from 'vitest'
import { importFixture } from '../../helpers/imports.ts'

const { world } = importFixture()
const map = ['--role-map', 'Lehrer/in=host', '--role-map', 'Schüler/in=guest']

async function membersByRoom(): Promise<string[]> {
  const { rooms } = (await world.send('GET', '/rooms?limit=100')).body
  const lines: string[] = []
  for (const { id, name } of rooms)
    for (const { user_id, type } of (await world.send('GET', `/rooms/${id}/members`)).body.members)
      lines.push(`${name} ${user_id} ${type}`)
  return lines.sort()
}

describe('an import of a roster', () => {
  test('rooms import --group-by name takes roles from --role-map and splits cells with --split', async () => {
    for (const user_id of ['t', 'p', 'q']) await world.send('POST', '/users', { user_id })
    world.file(
      'rooms.csv',
      'user_id,name,member_type,type\nt,"7a, 7b",Lehrer/in,private\n,,,\np,7a,schüler/in,private\nq,7A,Schüler/in,private\n',
    )
    const base = ['rooms', 'import', 'rooms.csv', '--group-by', 'name']
    const warnings =
      "warning: rooms.csv:2: “7a, 7b” looks like a list; --split ', ' splits it into items\n" +
      'warning: rooms.csv:5: name “7A” differs from the value in line 4 only by letter case\n'
    const refused = await world.run(base)
    expect([refused.code, refused.stderr]).toEqual([
      2,
      `${warnings}skipped 1 empty row\n` +
        'error: rooms.csv: 2 values are not guest, host or monitor: “Lehrer/in” (1 row from line 2), “schüler/in” (2 rows from line 4)\n' +
        "hint: name their roles, as in --role-map 'Lehrer/in=host,schüler/in=guest'\n" +
        'error: invalid rows: 3 of 3; nothing was sent\nhint: fix the rows\n',
    ])
    const dry = await world.run([...base, ...map, '--dry-run'])
    expect(dry.stderr).toContain(warnings)
    const done = await world.run([...base, ...map, '--split', ', '])
    const [, warning = ''] = warnings.replace('line 4', 'line 2').split(/(?<=\n)/)
    expect([done.code, done.stderr]).toEqual([0, `${warning}skipped 1 empty row\nimported 3 of 3 rooms\n`])
    expect(await membersByRoom()).toEqual(['7A q guest', '7a p guest', '7a t host', '7b t host'])
  })

  test('--role-map sets the roles of users, members and members of rooms in each import command', async () => {
    const room = (await world.send('POST', '/rooms', { name: 'R', type: 'private' })).body.room.id
    world.file('users.csv', 'user_id,default_member_type\nt,Lehrer/in\np,Host\nx,\n')
    const first = await world.run(['users', 'import', 'users.csv', ...map, '--role-map', 'Rektor=host'])
    expect([first.code, first.stderr]).toEqual([
      0,
      'warning: no row has the role “Schüler/in”, “Rektor” of --role-map; the rows have “Lehrer/in”, “host”\n' +
        'imported 3 of 3 users\n',
    ])
    const again = await world.run(['users', 'import', 'users.csv', ...map])
    expect(again.stderr).toContain(
      "hint: skip users that exist with: meetroom users import users.csv --role-map 'Lehrer/in=host,Schüler/in=guest' --if-exists skip",
    )
    expect((await world.send('GET', '/users/t')).body.user.default_member_type).toBe('host')
    world.file('members.ndjson', `{"room_id":"${room}","user_id":"t","type":"Lehrer/in"}\n`)
    expect((await world.run(['members', 'import', 'members.ndjson', ...map])).code).toBe(0)
    world.file('rooms.csv', 'name,type,members\nS,open,t:Lehrer/in|p:schüler/in\n')
    expect((await world.run(['rooms', 'import', 'rooms.csv', ...map])).code).toBe(0)
    expect(await membersByRoom()).toEqual(['R t host', 'S p guest', 'S t host'])
    world.file('mixed.csv', `room_id,user_id,type\n${room},p,Lehrer/in\n${room},x,Boss\n`)
    const mixed = await world.run(['members', 'import', 'mixed.csv', ...map, '--skip-invalid'])
    expect([mixed.code, mixed.stderr]).toEqual([
      8,
      expect.stringContaining('mixed.csv:3: type must be guest, host or monitor, not “Boss”'),
    ])
  })

  test('--map joins columns into one field, and --where applies to the joined value', async () => {
    const join = ['--map', '{vorname} {Nachname}=name', '--map', '{Ort}, {{{Name}}}=profile_url']
    const file = 'user_id;Vorname;Nachname;Ort;Name\np1;Ann;Bee;;\np2;;Cee;;\np3;Dee; ;;\np4;;;;\n'
    world.file('people.csv', file)
    const part = await world.run(['users', 'import', 'people.csv', ...join, '--where', 'name=Cee'])
    expect([part.code, part.stderr]).toEqual([0, '--where selects 1 of 4 rows\nimported 1 of 1 user\n'])
    const rest = await world.run(['users', 'import', 'people.csv', ...join, '--failed-out', 'again.csv'])
    expect([rest.code, world.read('again.csv')]).toEqual([
      8,
      'user_id;Vorname;Nachname;Ort;Name;reason\r\np2;;Cee;;;the user already exists\r\n',
    ])
    expect(await world.users()).toEqual({ p1: 'Ann Bee', p2: 'Cee', p3: 'Dee', p4: null })
    world.file('more.ndjson', '{"user_id":"q1","name":"Eve","last":"Fay"}\n{"name":"G","last":"H"}\n')
    const flags = ['--map', '{last}, {name}=name', '--skip-invalid', '--failed-out', 'again.ndjson']
    expect((await world.run(['users', 'import', 'more.ndjson', ...flags])).code).toBe(8)
    expect((await world.users())['q1']).toBe('Fay, Eve')
    expect(world.read('again.ndjson')).toBe('{"name":"G","last":"H","reason":"user_id is missing"}\n')
    for (const [map, problem, hint] of [
      [
        '{Vornam} {Nachname}=name',
        '--map: there is no column “Vornam”',
        "did you mean: meetroom users import people.csv --map '{Vorname} {Nachname}=name' --base-url https://meet.test/v1",
      ],
      [
        '{Vorname {Nachname}=name',
        '“{Vorname {Nachname}”: in --map, write {{ or }} for a brace',
        'a single brace begins or ends a placeholder, such as {name}',
      ],
    ] as const) {
      const { code, stderr } = await world.run(['users', 'import', 'people.csv', '--map', map])
      expect([code, stderr]).toEqual([2, `error: ${problem}\nhint: ${hint}\n`])
    }
  })

  test('rooms import --type sets the type of new rooms whose rows have no type', async () => {
    await world.send('POST', '/users', { user_id: 't' })
    await world.room('8a', 'open')
    world.file('rooms.csv', 'name,type,user_id\n7a,,t\n7b,public,t\n8a,,t\n8b,opn,t\n')
    const line = 'rooms import rooms.csv --group-by name --if-exists update --type private --skip-invalid'
    expect(await world.run(line)).toMatchObject({
      code: 8,
      stderr:
        'error: rooms.csv:5: type must be open, public or private, not “opn” (did you mean “open”?)\n' +
        'error: imported 3 of 4 rooms: created 2, updated 1; 1 invalid row\n',
    })
    const { rooms } = (await world.send('GET', '/rooms?limit=1000')).body
    const types = rooms.map((room: { name: string; type: string }) => `${room.name} ${room.type}`).sort()
    expect(types).toEqual(['7a private', '7b public', '8a open'])
    world.file('class.csv', 'name\n7a\n')
    expect(await world.run('rooms import class.csv --match name --if-exists update')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: there is no column type\n'),
    })
    expect(
      await world.run('rooms import class.csv --match name --if-exists update --type open'),
    ).toMatchObject({ code: 0 })
  })

  test('rooms import suggests the room type for a German or misspelled word', async () => {
    const meant = { privat: 'private', Öffentlich: 'public', offen: 'open', Pubic: 'public' }
    const rows = Object.keys(meant).map((type) => `R ${type},${type}\n`)
    world.file('rooms.csv', `name,type\n${rows.join('')}`)
    const { code, stderr } = await world.run('rooms import rooms.csv')
    const errors = Object.entries(meant).map(
      ([type, near], i) =>
        `error: rooms.csv:${i + 2}: type must be open, public or private, not “${type}” (did you mean “${near}”?)`,
    )
    expect([code, stderr.split('\n').slice(0, 4)]).toEqual([2, errors])
  })

  test('members import --split splits the rooms of a member, and refuses another --role-map with --resume', async () => {
    const ids = []
    for (const name of ['A', 'B'])
      ids.push((await world.send('POST', '/rooms', { name, type: 'private' })).body.room.id)
    await world.send('POST', '/users', { user_id: 't' })
    world.file('members.csv', `room_id,user_id,type\n${ids.join(' | ')},t,Lehrer/in\n`)
    const base = ['members', 'import', 'members.csv', '--split', '|', '--journal', 'm.journal']
    expect((await world.run([...base, ...map])).code).toBe(0)
    expect(await membersByRoom()).toEqual(['A t host', 'B t host'])
    expect(await world.run([...base, '--role-map', 'Lehrer/in=guest', '--resume'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('m.journal belongs to an import with other flags\n'),
    })
  })
})
