import { expect, test } from 'vitest'
import { importFixture } from '../../helpers/imports.ts'

const { world } = importFixture()

const command = (line: string, flags: string) =>
  `meetroom ${line} file.csv ${flags} --base-url https://meet.test/v1`.replace('  ', ' ')
const mapped = (line: string, map: string) => `did you mean: ${command(line, map)}`
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
    'did you mean --map E-Mail=email? For the others, pass --map to map a column to a field, --map Mail= to ignore it, or --ignore-unknown to ignore all unknown columns',
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
    `if the rooms are IDs: ${command('members import', "--map Raum=room_id --map 'Schüler=user_id' --map role=type")}; if the rooms are names: ${command('workspace diff', "--rooms-from Raum --users-from 'Schüler' --role-from role")}`,
  ],
  [
    'members import',
    'room_name;user_id;name',
    `members import needs the IDs of rooms; if the rooms are names: ${command('workspace diff', '--rooms-from room_name --users-from user_id')}`,
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
  '%s of a file with the first line “%s” exits 2 before the first request with a hint about the columns',
  async (line, header, hint) => {
    world.file('file.csv', `${header}\n${header.replaceAll(/[^;]+/g, 'x')}\n`)
    const [group = '', verb = '', ...flags] = line.split(' ')
    const { code, stderr } = await world.run([group, verb, ...flags, 'file.csv'])
    expect([code, stderr.split('\n')[1]]).toEqual([2, `hint: ${hint}`])
    expect(world.requests).toEqual([])
  },
)

test('a --map with field and column in the wrong order causes a suggestion with each --map reversed', async () => {
  world.file('file.csv', 'id,full name,Mail\nx,X,x@x.test\n')
  const maps = ['--map', 'name=full name', '--map=email=mail', '--map', 'id=user_id']
  const { code, stderr } = await world.run(['users', 'import', 'file.csv', ...maps])
  const turned = "--map 'full name=name' --map=mail=email --map id=user_id"
  expect([code, stderr]).toEqual([
    2,
    `error: --map: there is no column “name”\nhint: --map must be COLUMN=FIELD: ${command('users import', turned)}\n`,
  ])
})

test.each([
  ['Klass', 'did you mean “Klasse”?'],
  ['course', 'did you mean “Klasse”?'],
  ['pupil', 'did you mean “ID”?'],
  ['email', 'did you mean “E-Mail”?'],
  ['role', 'did you mean “Rolle”?'],
  ['name', 'did you mean “{Vorname} {Nachname}”?'],
  ['Tutor', 'columns are Klasse, ID, Vorname, Nachname, E-Mail, Rolle'],
])('a roster without the column %s causes a hint that names similar or all columns', async (column, hint) => {
  world.file('roster.csv', 'Klasse,ID,Vorname,Nachname,E-Mail,Rolle\n')
  const flags = ['--rooms-from', 'Klasse', '--users-from', `ID,${column}`]
  const { code, stderr } = await world.run(['workspace', 'diff', 'roster.csv', ...flags])
  expect([code, stderr]).toEqual([2, `error: roster.csv has no column “${column}”\nhint: ${hint}\n`])
})
