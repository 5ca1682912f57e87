import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorld } from '../../helpers/world.ts'

/** Creates a function that returns the errors of a command line, with room names in braces for room IDs. */
async function createHints(): Promise<(line: string) => Promise<string>> {
  const world = await createWorld()
  const profiles = { school: {}, staging: {}, sued: {}, nord: {} }
  mkdirSync(world.configDir, { mode: 0o700 })
  writeFileSync(join(world.configDir, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
  writeFileSync(join(world.dir, 'people.csv'), 'user_id\ngrace\n')
  await world.send('POST', '/users', { user_id: 'ada', name: 'Ada Lovelace' })
  await world.send('POST', '/users', { user_id: 'mmeier', name: 'Maria Meier' })
  const ids: [name: string, id: string][] = []
  for (const [name, type] of [
    ['Physics 10a', 'private'],
    ['Physics 10b', 'open'],
    ['Old club', 'open'],
  ])
    ids.push([`{${name}}`, (await world.send('POST', '/rooms', { name, type })).body.room.id])
  return async (line) => {
    const filled = ids.reduce((text, [name, id]) => text.replaceAll(name, id), line)
    const words = [...filled.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    const { stderr } = await world.run(words, { env: { MEETROOM_NO_INPUT: '1' } })
    const text = stderr.replaceAll(' --base-url https://meet.test/v1', '')
    return ids.reduce((shown, [name, id]) => shown.replaceAll(id, name), text)
  }
}

const corrections: readonly (readonly [line: string, hint: string])[] = [
  ["users update name:M.Meier --name 'Maria Maier'", "users update mmeier --name 'Maria Maier'"],
  [
    "rooms create --name Z --type open --member 'Ada Lovelace:host'",
    'rooms create --name Z --type open --member ada:host',
  ],
  ['workspace import ws.yaml', 'workspace apply ws.yaml'],
  ['apply -f ws.yaml', 'workspace apply ws.yaml'],
  ['workspace apply -f ws.yaml', 'workspace apply ws.yaml'],
  ['diff ws.yaml', 'workspace diff ws.yaml'],
  ['workspace export ws.yaml', 'workspace export --out ws.yaml'],
  [
    'users import a.csv b.csv c.csv --dry-run',
    'users import a.csv --dry-run; meetroom users import b.csv --dry-run; meetroom users import c.csv --dry-run',
  ],
  ['users export -o csv --out x.json', 'users export -o json > x.json'],
  ['config edit', 'config path'],
  ['config use-context staging', 'profiles use staging'],
  ['config set timezone Europe/Berlin', 'config set time_zone Europe/Berlin'],
  ['configure', 'auth login'],
  ['server list', 'profiles list'],
  ['auth status school', 'auth status --profile school'],
  ['auth logout school', 'auth logout --profile school'],
  ['doctor school', 'doctor --profile school'],
  ['profiles current', 'auth status'],
  ['profiles protect --profile school', 'profiles protect school'],
  ['config get api-key', 'config get api_key'],
  [
    'webhooks trigger sessionJoined --url http://127.0.0.1:4699/',
    'webhooks trigger sessionJoined --to http://127.0.0.1:4699/',
  ],
  ['server create x', 'serve --help'],
  ['ps', 'sessions list --all-rooms --online'],
  ["report attendance 'name:Physics 10a'", "sessions report 'name:Physics 10a'"],
  ["sessions report --room 'name:Physics 10a'", "sessions report 'name:Physics 10a'"],
  [
    'sessions report --all-rooms --date 2026-11-30',
    'sessions report --all-rooms --from 2026-11-30 --to 2026-12-01',
  ],
  ['audit list --date 2026-11-30', 'audit list --where time=2026-11-30'],
  ['schema room', 'schema rooms list'],
  ['users offboard ada --to mmeier --dry-run', 'users hand-over ada mmeier --dry-run'],
  ['members links name:X --url https://x.test', 'members links --help'],
  ['users delete -rf ada', 'users delete --yes ada'],
  ['local rooms list', 'rooms list --local'],
  ['completion sh', 'completion bash'],
  ['users create --id lena --name Lena', 'users create lena --name Lena'],
  [
    'rooms create --name Z --type open --members ada,mmeier',
    'rooms create --name Z --type open --member ada --member mmeier',
  ],
  [
    "members add 'name:Physics 10a' ada mmeier",
    "members add 'name:Physics 10a' ada; meetroom members add 'name:Physics 10a' mmeier",
  ],
  ["members add 'name:Physics 10a' Kurt Maier", "members add 'name:Physics 10a' 'name:Kurt Maier'"],
  ['pages create name:X --url https://x.test/a.png', 'pages create name:X --image https://x.test/a.png'],
  ['api POST /rooms -f name=P type=open', 'api POST /rooms -f name=P -f type=open'],
  ['rooms delete --terminated --yes', 'rooms delete --where status=terminated --dry-run'],
  ['rooms rm -f name:X', 'rooms delete --yes name:X'],
  ['usage --from 2026-11-01 --to 2026-11-30', 'usage --month 2026-11'],
  ['members block ada', 'members block --user ada --all-rooms'],
  ["members add 'name:Physics 10a' mmeyer", "members add 'name:Physics 10a' mmeier"],
  [
    'rooms create --name Z --type open --member ada,mmeier',
    'rooms create --name Z --type open --member ada --member mmeier',
  ],
  ['users create lena Lena Koch', "users create lena --name 'Lena Koch'"],
  ['rooms create --name Z --type open --layout grid', 'rooms create --name Z --type open --set layout=grid'],
  [
    'rooms create --name Z --type open --max-meeting-minutes 45',
    'rooms create --name Z --type open --max-meeting-seconds 45m',
  ],
  [
    "sessions report 'name:Physics 10b' --from 2026-11-27 08:00",
    "sessions report 'name:Physics 10b' --from '2026-11-27 08:00'",
  ],
  ['workspace diff nord sued', 'workspace diff --against sued --profile nord'],
  ['audit tail -f', 'audit list --help'],
  ['profiles use-context sued', 'profiles use sued'],
  ['profiles add ost http://127.0.0.1:4103/v1', 'auth login http://127.0.0.1:4103/v1 --profile ost'],
  ['auth login 127.0.0.1:4103', 'auth login http://127.0.0.1:4103'],
  ['api /rooms', 'api GET /rooms'],
  ['api GET /v1/rooms', 'api GET /rooms'],
  ['api -X DELETE /users/ada', 'api DELETE /users/ada'],
  ['$ meetroom rooms list', 'rooms list'],
  ['webhooks deliveries --local --status failed', 'webhooks deliveries --status given_up --local'],
  ['profiles delete school', 'profiles remove school'],
  ['workspace export --format yaml', 'workspace export'],
  ["members add 'name:Physics 10a' ada=host", "members add 'name:Physics 10a' ada --role host"],
  ["members add 'name:Physics 10a' ada:host", "members add 'name:Physics 10a' ada --role host"],
  ["members add 'name:Physics 10a' 'ada host'", "members add 'name:Physics 10a' ada --role host"],
  ["users delete 'ad*' --yes", "users delete --where 'user_id~^ad' --dry-run"],
  ['rooms update name:X --record=no', 'rooms update name:X --no-record'],
  [
    "members update 'name:Physics 10a' --user ada --blocked false",
    "members update 'name:Physics 10a' --user ada --unblocked",
  ],
  ['users offboard ada --to mmeier', 'users hand-over ada mmeier'],
  ['auth token', 'auth status'],
  ['serve 8080', 'serve --port 8080'],
  ['rooms create /?', 'rooms create --help'],
  [
    'rooms create --name Z --type open --member ada,host',
    'rooms create --name Z --type open --member ada:host',
  ],
  ['users delete -f list.csv', 'users delete --help'],
  ['sessions report --all-rooms --date last-week', 'sessions report --all-rooms --period last-week'],
  ['sessions report --all-rooms --by person', 'sessions report --all-rooms --by user'],
  [
    'pages create name:5a name:5.b --image https://x.example/a.png',
    "pages create --where 'name~^(5a|5\\.b)$' --image https://x.example/a.png",
  ],
  ['users update id:ada id:bob --name X', "users update --where 'user_id~^(ada|bob)$' --name X"],
  ['rooms get name:5a name:5b', 'rooms get name:5a; meetroom rooms get name:5b'],
  ['message send name:5a name:5b hi', 'message send name:5a hi; meetroom message send name:5b hi'],
  ['rooms describe Library', 'rooms get name:Library'],
  [
    'rooms create --name Z --type open --members anna ben',
    'rooms create --name Z --type open --member anna --member ben',
  ],
  [
    'rooms create --name Z --type open --duration 45',
    'rooms create --name Z --type open --max-meeting-seconds 45m',
  ],
  ["rooms get name: 'Maths 7a'", "rooms get 'name:Maths 7a'"],
  ['rooms wait name:X terminated', 'rooms wait name:X --for terminated'],
  ['api POST /rooms name=X type=open', 'api POST /rooms --field name=X --field type=open'],
  ["message send name:X '-5 minutes'", "message send name:X -- '-5 minutes'"],
  ['pages create name:X https://x.test/a.png', 'pages create name:X --image https://x.test/a.png'],
  ['list-rooms', 'rooms list'],
  ['members block --user ada --yes', 'members block --user ada --all-rooms --dry-run'],
  ['rooms rm -rf Altbau', 'rooms delete --yes name:Altbau'],
  ['rooms list --where Status=terminiert', 'rooms list --where status=terminated'],
  ['rooms update name:X --set layout = grid', 'rooms update name:X --set layout=grid'],
  [
    'rooms update 66f1a2b3c4d5e6f708192a3b --set layout:grid',
    'rooms update 66f1a2b3c4d5e6f708192a3b --set layout=grid',
  ],
  ['rooms create --name “Kunst” --type open', 'rooms create --name Kunst --type open'],
  ['rooms link --all --as tim', 'rooms link --all-rooms --as tim'],
  ["rooms link --user 'Tom Berger' name:X", "rooms link --as 'name:Tom Berger' name:X"],
  ["rooms list --where 'name=Maths 7a' name", "rooms list --where 'name=Maths 7a' --columns name"],
  ["message send --to 'name:Maths 7a' --message hi", "message send 'name:Maths 7a' --text hi"],
  ['audit --since yesterday', 'audit list --since yesterday'],
  ['audit list --since 2 weeks', 'audit list --since 2w'],
  ['sessions list name:X --since 1h', 'sessions report name:X --from 1h'],
  ['rooms list -o jsonpath={.items[*].name}', "rooms list --query 'rooms[].name'"],
  ['members add name:X --email ada@x.test', 'members add name:X email:ada@x.test'],
  ['members add name:X --member ada:host', 'members add name:X ada:host'],
  ['users get --name Ada', 'users get name:Ada'],
  [
    'pages create --room name:X --image-url https://x.test/a.png',
    'pages create name:X --image https://x.test/a.png',
  ],
  ['members block --user ada --all --yes', 'members block --user ada --all-rooms --dry-run'],
  ['members update --user ada --role host', 'members update --user ada --role host --dry-run --all-rooms'],
  ['workspace restore school.yaml', 'workspace apply school.yaml'],
  ['webhooks trigger joined --to https://x.test/', 'webhooks trigger sessionJoined --to https://x.test/'],
  ['local seed ../seed.json', 'local seed ../seed.json --control control.json'],
  ['sessions watch --follow', 'sessions watch'],
  ['api GET rooms --limit 3', 'api GET /rooms --field limit=3'],
  ['rooms list --where terminated=true', 'rooms list --where status=terminated'],
  ['serve --host 127.0.0.1:9000', 'serve --host 127.0.0.1 --port 9000'],
  ['audit', 'audit list'],
  ['help wehre', 'help where'],
  [
    'sessions report 66f1a2b3c4d5e6f708192a3b --from 27.11.2026 --to 28.11.2026',
    'sessions report 66f1a2b3c4d5e6f708192a3b --from 2026-11-27 --to 2026-11-28',
  ],
  ["rooms create 'Art 8' open", "rooms create --name 'Art 8' --type open"],
  ['rooms create --data name:X type:open', `rooms create --data '{"name":"X","type":"open"}'`],
  ['rooms create --data {name:X,type:open}', `rooms create --data '{"name":"X","type":"open"}'`],
  [`users update ada --set '{"name":"Ada L"}'`, "users update ada --set 'name=Ada L'"],
  ["members import 'name:Physics 10a' ids.txt", "members import ids.txt --room 'name:Physics 10a'"],
  ["members export 'name:Physics 10a' --file m.csv", "members export 'name:Physics 10a' -o csv > m.csv"],
  ['rooms list /active', 'rooms list --active'],
  ['rooms list --limit:3', 'rooms list --limit 3'],
  ['rooms list -active', 'rooms list --active'],
  ["rooms terminate 'name:Old club' -yes", "rooms terminate 'name:Old club' --yes"],
  ["rooms delete 'name:Old club' -f", "rooms delete 'name:Old club' --yes"],
  ['rooms list -o columns=id,name', 'rooms list --columns id,name'],
  ['rooms export --all', 'rooms export'],
  ['members export --all', 'members export --all-rooms'],
  ["members export --all --where 'name~^Physics'", "members export --all-rooms --where 'name~^Physics'"],
  ['rooms list --reverse', 'rooms list --sort created_at'],
  ["rooms inspect 'name:Old club' --format '{{.id}}'", "rooms get 'name:Old club' --query room.id"],
  ["rooms get 'name:Old club' --format '{{.id}}'", "rooms get 'name:Old club' --query room.id"],
  ["rooms update 'name:Old club' --status active", "rooms reopen 'name:Old club'"],
  ["rooms wait 'name:Old club' --until terminated", "rooms wait 'name:Old club' --for terminated"],
  ['serve --data /tmp/x', 'serve --data-dir /tmp/x'],
  ["'name:Physics 10b' rooms get", "rooms get 'name:Physics 10b'"],
  ['users ada get', 'users get ada'],
  ['rooms get https://meet.example.com/room/66f1a2b3c4d5e6f708192a3b', 'rooms get 66f1a2b3c4d5e6f708192a3b'],
  ["rooms update 'Physics 10a, Physics 10b' --record", "rooms update 'name:Physics 10a' --record"],
  [
    "rooms terminate 'Physics 10a,Physics 10b' --yes",
    "rooms terminate 'name:Physics 10a' 'name:Physics 10b' --yes",
  ],
  ['users delete tweber lfischer, kvogel --yes', 'users delete tweber lfischer kvogel --yes'],
  [
    'listen --forward-to localhost:3000/webhook',
    'webhooks listen --forward-to http://localhost:3000/webhook',
  ],
  ['webhooks listen --forward-to 3000', 'webhooks listen --forward-to http://localhost:3000'],
  [
    'rooms create --name X --type open --webhook-url x.example/hook',
    'rooms create --name X --type open --webhook-url https://x.example/hook',
  ],
  ['profiles use sud', 'profiles use sued'],
  ['profiles switch sud', 'profiles use sued'],
  ['api GET v1/rooms', 'api GET /rooms'],
  [
    'auth login 127.0.0.1:8 --profile neu2 --with-key',
    'auth login http://127.0.0.1:8 --with-key --profile neu2',
  ],
  ['--profile neu2 auth login 127.0.0.1:8', 'auth login http://127.0.0.1:8 --profile neu2'],
  ['auth login https://x.test k3yk3yk3yk3yk3yk3y --profile neu2', 'auth login https://x.test --profile neu2'],
  ['rooms list Physics', "rooms list --where 'name~Physics'"],
  [
    'pages create name:X --type image --src https://x.test/a.png',
    'pages create name:X --image https://x.test/a.png',
  ],
  [
    'pages create name:X --kind image --image https://x.test/a.png',
    'pages create name:X --image https://x.test/a.png',
  ],
  ['usage --year 2026', 'usage --month 2026-01'],
  ['users offboard ada --replacement mmeier', 'users hand-over ada mmeier'],
  ['sessions list {Physics 10a} --today', 'sessions report {Physics 10a} --period today'],
  ['audit list --last-week', 'audit list --period last-week'],
  ['serve -p 4330 -d data', 'serve --port 4330 --data-dir data'],
  ['users create lena --first-name Lena --last-name King', "users create lena --name 'Lena King'"],
  ['users create lena --last-name King --given-name Lena', "users create lena --name 'Lena King'"],
  ["message 'Physics 10a' 'Hello!'", "message send 'name:Physics 10a' 'Hello!'"],
  ["members get 'name:Physics 10a' name:Ada", "members get 'name:Physics 10a' --user name:Ada"],
  ['members delete 66f1a2b3c4d5e6f708192a3b', 'members block ROOM 66f1a2b3c4d5e6f708192a3b'],
  ['users merge mmeier ADA --dry-run', 'users merge mmeier ada --dry-run'],
  ['rooms list --profile', 'profiles list'],
  ['auth logout --all', 'auth logout --profile NAME; list the profiles with: meetroom profiles list'],
  ['rooms list --base-url 127.0.0.1:8/v1', 'rooms list --base-url http://127.0.0.1:8/v1'],
  ['rooms list --base-url meet.example/v1', 'rooms list --base-url https://meet.example/v1'],
  ['rooms list --time-zone +2', 'rooms list --time-zone Etc/GMT-2'],
  ['rooms list --sort creation', 'rooms list --sort created_at'],
  ['rooms list --where type:open', 'rooms list --where type=open'],
  ["rooms list --where 'name~[Phys'", "rooms list --where 'name~\\[Phys'"],
  ["audit list --since 'two weeks'", 'audit list --since 2w'],
  ['users import people.csv --encoding latin1', 'users import people.csv --encoding windows-1252'],
]

test('the hint for a common mistake suggests the intended command', async () => {
  const hintOf = await createHints()
  for (const [line, hint] of corrections)
    expect.soft(await hintOf(line), line).toContain(`meetroom ${hint}\n`)
})

test('rooms delete with a misspelled room name suggests a command without --yes for each similar room', async () => {
  const hintOf = await createHints()
  for (const flag of ['--yes', '-y']) {
    const shown = await hintOf(`rooms delete 'name:Physics 10' ${flag}`)
    expect(shown).not.toMatch(/--yes|-y\b/)
    for (const room of ['Physics 10a', 'Physics 10b'])
      expect(shown).toContain(`“${room}” ({${room}}): meetroom rooms delete {${room}}`)
    expect(await hintOf(`rooms delete 'name:Old clubs' ${flag}`)).toContain(
      'did you mean “Old club” ({Old club})? meetroom rooms delete {Old club}\n',
    )
  }
})

test('users get suggests a user only if the first and the last name are similar', async () => {
  const hintOf = await createHints()
  expect(await hintOf("users get 'name:Maria Geyer'")).toContain('hint: list the users with: ')
  expect(await hintOf("users get 'name:Maria Maier'")).toContain('“Maria Meier” (mmeier)? ')
})

const everyItem = (command: string) =>
  `to select all items, pass a condition that every item meets; preview with: meetroom ${command} --where 'created_at>2000-01-01' --dry-run`
const undo =
  'only records saved with --save can be restored, with “users import” or “rooms import”; see: meetroom help undo'

test.each([
  [
    "rooms restore 'name:Old club'",
    `a terminated room is reopened with: meetroom rooms reopen 'name:Old club'; ${undo}`,
  ],
  ["rooms undelete 'name:Old club'", undo],
  [
    'users list --where status=x --name Ada',
    'also, --where: no user has a field “status”; fields are user_id, name, profile_url, default_member_type, access_token, created_at, updated_at, id, email, age',
  ],
  ['profiles switch unlike', 'also, no such profile: “unlike”; profiles: school, staging, sued, nord, local'],
  [
    'rooms update {Physics 10a} type=public',
    'the type of a room cannot change after its creation; “rooms create” sets it',
  ],
  ['rooms create --password x', 'rooms have no password; only members can join a room with --type private'],
  ['usage -o pdf', 'write a page with --html FILE'],
  ["users import people.csv --map '{user_id=name' --dry-run", 'see: meetroom users import --help'],
  ['serve stop', 'stop the service with ^C in its terminal'],
  [
    'rooms list --insecure',
    'certificates are always checked; to trust your own authority, point NODE_EXTRA_CA_CERTS at a file with its certificate',
  ],
  ["members block 'name:Physics 10a' --all --yes", everyItem("members block 'name:Physics 10a'")],
  ['rooms delete --all --yes', everyItem('rooms delete')],
  ["rooms delete '*' --yes", everyItem('rooms delete')],
  ['rooms delete all --yes', everyItem('rooms delete')],
])('the hint for the unsupported command line “%s” describes the supported way', async (line, hint) => {
  const hintOf = await createHints()
  expect((await hintOf(line)).split('\n').slice(1)).toEqual([`hint: ${hint}`, ''])
})

test.each(["members export 'Phys*'", "members list 'Phys*'", "members add 'name:Physics 10a' 'ad*'"])(
  'the hint for “%s” has no condition, because --where does not select what the argument names',
  async (line) => {
    const hintOf = await createHints()
    const shown = await hintOf(line)
    expect(shown).toContain('error: no such ')
    expect(shown).not.toContain('--where')
  },
)

test.each([
  ['rooms[?type==open].name', "a text needs quotes: --query 'rooms[?type=='\\''open'\\''].name'"],
  ['rooms[?record==false].name', "a constant needs backticks: --query 'rooms[?record==`false`].name'"],
  ['rooms|length', "“length” is a function; type: --query 'length(rooms)'"],
  ['rooms.length', "“length” is a function; type: --query 'length(rooms)'"],
  [
    'Items[].Name',
    "no field “Items” at the top level; fields are rooms, paging; type: --query 'rooms[].name'",
  ],
  ['Items[].unlike', 'no field “Items” at the top level; fields are rooms, paging'],
  ['[].name', "the list is in the field “rooms”; type: --query 'rooms[].name'"],
])('rooms list --query %s prints a notice with a corrected query', async (query, notice) => {
  const hintOf = await createHints()
  expect(await hintOf(`rooms list --query ${query}`)).toContain(`${notice}\n`)
})

test.each([
  ['"abcdefghijkl"', 'is in quotes, which are sent with the key'],
  ['/root/key.txt', 'looks like a file name; pass the contents of the file'],
])('rooms list warns about the malformed API key %s without printing the key', async (key, problem) => {
  const world = await createWorld()
  const { stderr } = await world.run('rooms list', { env: { MEETROOM_API_KEY: key } })
  expect(stderr).toContain(`warning: the API key (MEETROOM_API_KEY) ${problem}\n`)
  expect(stderr).not.toContain(key)
})
