import { closeSync, createReadStream, openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { main } from '../../../src/main.ts'
import { testHost } from '../../helpers/host.ts'
import { importFixture } from '../../helpers/imports.ts'

const { world } = importFixture()

const command = (line: string, flags: string) =>
  `meetroom ${line} file.csv ${flags} --base-url https://meet.test/v1`.replace('  ', ' ')
const mapped = (line: string, map: string) => `did you mean: ${command(line, map)}`
const byName = (maps: string) =>
  command('rooms import', `--group-by name ${maps} --type private --if-exists update --dry-run`)
const noHeader =
  'the first line looks like data; begin the file with a line that names the columns after these fields'

test.each<[line: string, header: string, hint: string]>([
  [
    'users import',
    'Login;Vorname;NACHNAME;Mail;Rolle',
    mapped(
      'users import',
      "--map '{Vorname} {NACHNAME}=name' --map Login=user_id --map Mail=email --map Rolle=default_member_type",
    ),
  ],
  [
    'users import',
    'user_id;E-Mail;Mail;Notiz',
    `did you mean, without “Mail”, “Notiz”: ${command('users import', '--map E-Mail=email --map Mail= --map Notiz=')}`,
  ],
  ['users import', 'user_id;nmae', mapped('users import', '--map nmae=name')],
  [
    'users import',
    'user_id;Klasse',
    'pass --map to map a column to a field, --map Klasse= to ignore it, or --ignore-unknown to ignore all unknown columns',
  ],
  [
    'members import',
    'Raum;Schüler;role',
    `members import needs the IDs of rooms; for names: ${byName("--map Raum=name --map 'Schüler=user_id' --map role=member_type")}`,
  ],
  [
    'members import',
    'room_name;user_id;name',
    `members import needs the IDs of rooms; for names: ${byName('--map room_name=name --map name=member_name')}`,
  ],
  [
    'users import',
    'id;full name;E-Mail',
    mapped('users import', "--map 'full name=name' --map E-Mail=email --map id=user_id"),
  ],
  ['users import', 'k1;Kay;k@x.example', noHeader],
  ['rooms import', 'kay', noHeader],
  [
    'rooms import --group-by name',
    'user_id;email;id',
    `the file has the columns of users: ${command('users import', '')}`,
  ],
  ['users import', 'type;name', `the file has the columns of rooms: ${command('rooms import', '')}`],
  [
    'members import',
    'user_id;name',
    'columns are user_id, name; pass --map to map one of them to room_id, or --room ROOM',
  ],
  [
    'rooms import --group-by name',
    'Klasse;user;role',
    'did you mean --map Klasse=name --map user=user_id --map role=member_type? There is no column type; pass --type (open, public or private).',
  ],
  [
    'rooms import',
    'name',
    'columns are name; pass --map to map one of them to type, or --type (open, public or private)',
  ],
  [
    'rooms import --group-by name --type private',
    'Klasse;user;role',
    mapped(
      'rooms import --group-by name --type private',
      '--map Klasse=name --map user=user_id --map role=member_type',
    ),
  ],
  [
    'rooms import --group-by name',
    'Klasse;user;role;type',
    mapped('rooms import --group-by name', '--map Klasse=name --map user=user_id --map role=member_type'),
  ],
  [
    'rooms import',
    'name;Raum;role',
    'pass --map to map a column to a field, --map Raum= to ignore it, or --ignore-unknown to ignore all unknown columns',
  ],
])(
  '%s exits 2 with a hint about the columns if the first line of the file is “%s”',
  async (line, header, hint) => {
    world.file('file.csv', `${header}\n${header.replaceAll(/[^;]+/g, 'x')}\n`)
    const [group = '', verb = '', ...flags] = line.split(' ')
    const { code, stderr } = await world.run([group, verb, ...flags, 'file.csv'])
    expect([code, stderr.split('\n')[1]]).toEqual([2, `hint: ${hint}`])
    expect(world.requests).toEqual([])
  },
)

test.each<[line: string, content: string, hint: string]>([
  [
    'users import',
    'Nr;Kurz;Vorname;Nachname;Rolle\n1;ab;A;B;Schüler/in\n1;cd;C;D;Lehrer\n',
    `did you mean, without “Nr”: ${command('users import', "--map '{Vorname} {Nachname}=name' --map Rolle=default_member_type --map Kurz=user_id --role-map 'Schüler/in=guest,Lehrer=host' --map Nr=")}`,
  ],
  [
    'users import',
    'a;b;c;d;E-Mail\n1 2;2 3;3 4;4 5;x@x.test\n',
    'did you mean --map E-Mail=email? For the others, pass --map to map a column to a field, --map a= to ignore it, or --ignore-unknown to ignore all unknown columns. There is no column user_id.',
  ],
  [
    'users import',
    'user_id;a;b;c;d;Mail\nx;1;2;3;4;x@x.test\n',
    `did you mean, without “a”, “b”, “c”, “d”: ${command('users import', '--map Mail=email --ignore-unknown')}`,
  ],
  [
    'members import',
    'Kurs;Konto;Typ\nMathe 7a;ada;Lehrer\n',
    `members import needs the IDs of rooms; for names: ${byName('--map Kurs=name --map Konto=user_id --map Typ=member_type').replace('--dry-run', '--role-map Lehrer=host --dry-run')}`,
  ],
  [
    'members import',
    'Kurs;ID\n66f1a2b3c4d5e6f708192a3b;ada\n',
    mapped('members import', '--map Kurs=room_id --map ID=user_id'),
  ],
  [
    'members import',
    'Kurs;ID\nroom-10;ada\n',
    `if the rooms are IDs: ${command('members import', '--map Kurs=room_id --map ID=user_id')}; if the rooms are names: ${byName('--map Kurs=name --map ID=user_id')}`,
  ],
  [
    'workspace diff',
    'Klasse;ID;Vorname;Nachname;Mail;Rolle\n7a;x;A;B;x@x.test;Schüler\n',
    mapped(
      'workspace diff',
      "--rooms-from Klasse --users-from 'ID,{Vorname} {Nachname},Mail' --role-from Rolle --role-map 'Schüler=guest'",
    ),
  ],
  [
    'workspace diff',
    'Klasse;Kurz\n7a;x\n',
    mapped('workspace diff', '--rooms-from Klasse --users-from Kurz'),
  ],
  [
    'workspace diff',
    'a;b\n7a;x\n',
    'columns are a, b; name them with --rooms-from, --users-from and --role-from',
  ],
])('%s exits 2 with a hint about the columns if the file contains %j', async (line, content, hint) => {
  world.file('file.csv', content)
  const { code, stderr } = await world.run([...line.split(' '), 'file.csv'])
  expect([code, stderr.split('\n')[1]]).toEqual([2, `hint: ${hint}`])
  expect(world.requests).toEqual([])
})

test('users import suggests COLUMN=FIELD if --map has the field before the column', async () => {
  world.file('file.csv', 'id,full name,Mail\nx,X,x@x.test\n')
  const maps = ['--map', 'name=full name', '--map=email=mail', '--map', 'id=user_id']
  const { code, stderr } = await world.run(['users', 'import', 'file.csv', ...maps])
  const turned = "--map 'full name=name' --map=mail=email --map id=user_id"
  expect([code, stderr]).toEqual([
    2,
    `error: --map: there are no columns “name”, “email”\nhint: --map must be COLUMN=FIELD: ${command('users import', turned)}\n`,
  ])
})

test.each([
  ['Klass,id', 'Klasse,ID'],
  ['course,pupil', 'Klasse,ID'],
  ['{name},email', '{Vorname} {Nachname},E-Mail'],
  ['{vorname} {nachname},E-Mail', '{Vorname} {Nachname},E-Mail'],
])('workspace diff --users-from %s suggests the columns %s of the roster', async (columns, meant) => {
  world.file('roster.csv', 'Klasse,ID,Vorname,Nachname,E-Mail,Rolle\n')
  const run = (flags: readonly string[]) => world.run(['workspace', 'diff', 'roster.csv', ...flags])
  const { code, stderr } = await run(['--rooms-from=klasse', '--users-from', columns, '--role-from', 'role'])
  const users = meant.includes(' ') ? `'${meant}'` : meant
  expect([code, stderr.split('\n')[1]]).toEqual([
    2,
    `hint: did you mean: meetroom workspace diff roster.csv --rooms-from=Klasse --users-from ${users} --role-from Rolle --base-url https://meet.test/v1`,
  ])
})

test('workspace diff lists all columns of the roster if no column is similar to a missing one', async () => {
  world.file('roster.csv', 'Klasse,ID,Name\n')
  const run = async (users: string) =>
    (await world.run(['workspace', 'diff', 'roster.csv', '--rooms-from', 'Klasse', '--users-from', users]))
      .stderr
  expect(await run('Tutor')).toBe(
    'error: roster.csv has no column “Tutor”\nhint: columns are Klasse, ID, Name\n',
  )
  expect(await run('id,Tutor')).toBe(
    'error: roster.csv has no columns “id”, “Tutor”\nhint: did you mean “ID” for “id”? columns are Klasse, ID, Name\n',
  )
})

test.each([
  ['user_id,name', 'users import'],
  ['Kennung;Vorname;Nachname;E-Mail', 'users import'],
  ['\ufeffsep=;\r\n"name";"type";members', 'rooms import'],
  ['room_id,user_id,type', 'members import'],
  ['Klasse;ID;Name;Rolle', 'members import'],
])('the unknown command import or load for a file with the header %j suggests %s', async (header, line) => {
  world.file('file.csv', `${header}\nx\n`)
  for (const verb of ['import', 'load']) {
    const { code, stderr } = await world.run([verb, 'file.csv', '--dry-run'])
    expect([code, stderr]).toEqual([
      2,
      `error: unknown command “${verb}”\nhint: ${mapped(line, '--dry-run')}\n`,
    ])
  }
})

test.each(['other.csv', 'name.csv', 'missing.csv', 'people.txt'])(
  'the unknown command “import” for %s suggests the import commands of users, rooms and members',
  async (file) => {
    world.file('other.csv', 'a,b\n')
    world.file('name.csv', 'name\n')
    world.file('people.txt', 'user_id\n')
    const choices = ['users', 'rooms', 'members'].map(
      (kind) => `meetroom ${kind} import ${file} --base-url https://meet.test/v1`,
    )
    expect((await world.run(['import', file])).stderr).toBe(
      `error: unknown command “import”\nhint: choose one of: ${choices.join(', ')}\n`,
    )
  },
)

test.each(['people.csv', 'people.ndjson'])(
  'users import without an argument suggests “-” if standard input is %s',
  async (name) => {
    world.file(name, 'user_id\n')
    const fd = openSync(world.path(name), 'r')
    const stdin = createReadStream('', { fd, autoClose: false })
    const host = Object.assign(testHost({ cwd: world.dir }), { stdin })
    expect(await main(['users', 'import', '--dry-run'], host)).toBe(2)
    expect(host.stderr.text).toBe(
      `error: the argument “file” is missing\nhint: “-” reads standard input: meetroom users import - --dry-run < ${process.platform === 'linux' ? name : 'FILE'}\n`,
    )
    closeSync(fd)
  },
)
