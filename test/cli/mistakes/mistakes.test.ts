import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CommandLineError, type MeetroomCommand } from '../../../src/cli/kernel/meetroom-command.ts'
import { elsewhere, flags, nouns, verbs } from '../../../src/cli/matching/meanings.ts'
import { explainUsage } from '../../../src/cli/mistakes/usage-error.ts'
import { testHost } from '../../helpers/host.ts'
import { leaves, wholeProgram } from '../../helpers/tree.ts'
import { createWorld, type World } from '../../helpers/world.ts'

/**
 * Common mistakes. A message scores one point for the problem with its value, and one for the correction.
 * `{room}`, `{open}` and `{member}` stand for IDs.
 */
const mistakes: readonly (readonly [score: number, line: string, stdin?: string, env?: string])[] = [
  [2, 'login'],
  [2, 'logout'],
  [2, 'whoami'],
  [2, 'status'],
  [2, 'auth whoami'],
  [1, 'auth'],
  [2, 'auth login sk_live_abcdefghijklmnop'],
  [2, 'auth login --token sk_live_abcdefghijklmnop'],
  [2, 'auth login --api-key sk_live_abcdefghijklmnop'],
  [2, 'auth login --with-token', 'Bearer abcdefghijklmnopqrst'],
  [2, 'auth login --with-token', 'Authorization: Bearer abcdefghijklmnopqrst'],
  [1, 'auth login --with-token', 'MEETROOM_API_KEY=abcdefghijklmnopqrst'],
  [1, 'auth login --with-token', '"abcdefghijklmnopqrst"'],
  [1, 'auth login --with-token', 'abc'],
  [2, 'auth login --with-token --base-url meet.test/v1', 'abcdefghijklmnopqrst'],
  [2, 'auth login'],
  [2, 'auth login --base-url'],
  [2, 'auth logout --profile nowhere'],
  [2, 'rooms list --profile nowhere'],
  [2, 'profiles use nowhere'],
  [2, 'profiles use'],
  [2, 'config set baseurl https://x.test'],
  [2, 'config set timeout'],
  [2, 'config set timeout abc'],
  [2, 'config set output yaml'],
  [2, 'config get key'],
  [2, 'config set api_key abcdefghijklmnop'],
  [2, 'rooms list', '', 'MEETROOM_BASE_URL=meet.test'],
  [2, 'rooms list', '', 'MEETROOM_OUTPUT=yaml'],
  [2, 'rooms list -o yaml'],
  [2, 'rooms list --format json'],
  [2, 'rooms list --timeout 5x'],
  [1, 'rooms list --retries many'],
  [1, 'rooms list --local --profile staging'],
  [2, 'rooms create --type private --name Maths 9'],
  [2, 'rooms list --where name=Maths 7a'],
  [2, 'rooms list --where name = Maths 7a'],
  [2, 'rooms list --columns name, type'],
  [2, 'rooms list --sort name desc'],
  [2, 'users update ada --name Ada King'],
  [2, 'users update --name Ada King ada'],
  [2, 'users get name:Ada Lovelace'],
  [2, 'rooms delete --where name=Maths 7a'],
  [2, 'rooms list --limit 5 Maths'],
  [2, 'rooms list --page 2 --per-page 10'],
  [2, 'rooms get \'"{room}",\''],
  [2, `rooms create --data '{"room":{"name":"Physics","type":"open"}}'`],
  [2, 'users create emmy --name Emmy --email emmy.gym.example'],
  [2, 'users export users.xlsx'],
  [2, 'attendance --month 2026-10'],
  [2, 'sessions report {room} --from 01.11.2026 --to 30.11.2026'],
  [2, 'rooms terminate {room} --dry-run false --yes'],
  [1, 'members list {room} --all-rooms true'],
  [2, 'users update ada --id bob'],
  [2, 'members list --user ada'],
  [1, 'members get ada'],
  [2, "rooms delete --where 'name like Maths%' --yes"],
  [2, 'rooms list --where "type=private"'],
  [2, 'rooms create --name Physics --visibility private'],
  [2, 'sessions list {room} --active'],
  [2, 'sessions watch --all'],
  [2, "message send 'School closes at four'"],
  [2, 'message send --all-rooms --text Hello'],
  [2, 'api PATCH /rooms/{room} -f name=Physics'],
  [2, "api GET 'C:/Program Files/Git/rooms'"],
  [2, 'profiles current'],
  [2, 'rooms list --where “name=Maths 7a”'],
  [2, 'rooms list --where ‘name=Maths’'],
  [2, 'rooms list --where "\'name=Maths 7a\'"'],
  [2, 'rooms list –-where name=x'],
  [2, 'rooms list —json'],
  [2, 'users get „ada“'],
  [2, "rooms list --where 'name=maths 7a'"],
  [2, 'rooms list --where type=open,private'],
  [2, 'rooms list --where name=Maths,Bio'],
  [2, "rooms get 'maths 7A'"],
  [2, "members add {room} 'Ada Lovelace'"],
  [2, 'users update ADA --name x'],
  [1, "message send {room} ''"],
  [2, 'usage 2026-10'],
  [2, 'usage --html report.pdf'],
  [2, 'curl -X POST https://meet.test/v1/rooms -H key:x -d {}'],
  [2, 'curl https://meet.test/v1/rooms?limit=3'],
  [2, 'list rooms'],
  [2, 'create room'],
  [2, 'delete user ada'],
  [2, 'get room {room}'],
  [2, 'get rooms'],
  [2, 'import'],
  [2, 'import users people.csv'],
  [2, 'import people.csv'],
  [2, 'export'],
  [2, 'export users'],
  [2, 'new room'],
  [1, 'users'],
  [1, 'rooms'],
  [2, 'rooms new'],
  [2, "rooms add 'Maths 12'"],
  [2, 'rooms remove {room}'],
  [2, 'rooms edit {room}'],
  [2, 'rooms close {room}'],
  [2, 'rooms end {room}'],
  [2, 'rooms stop {room}'],
  [2, "rooms find 'Maths 7a'"],
  [2, 'rooms search Maths'],
  [2, 'rooms members {room}'],
  [2, 'rooms invite {room} ada'],
  [2, 'rooms join {room}'],
  [2, 'users add bob'],
  [2, 'users remove bob'],
  [2, 'users invite bob'],
  [2, 'members remove {room} ada'],
  [2, 'members delete {room} ada'],
  [2, 'members rm {room} ada'],
  [2, 'members kick {room} ada'],
  [2, 'members invite {room} grace'],
  [2, 'members create {room} grace'],
  [2, 'members ban {room} ada'],
  [2, 'sessions get x'],
  [2, 'sessions show'],
  [2, 'send {room} hello'],
  [2, 'message {room} hello'],
  [1, 'message'],
  [2, 'rooms list --type private'],
  [2, 'rooms list --status active'],
  [2, 'rooms list --find math'],
  [2, 'rooms list --filter type=private'],
  [2, 'rooms list --sort-by name'],
  [1, 'rooms list --limit all'],
  [1, 'rooms list --limit 0'],
  [1, 'rooms list --limit -1'],
  [2, 'rooms list --page 2'],
  [1, 'rooms list --offset two'],
  [2, 'rooms list --where age'],
  [2, 'rooms list --where name'],
  [2, "rooms list --where 'name=math*'"],
  [2, "rooms list --where 'name=Math*'"],
  [2, 'rooms list --where type=opn'],
  [2, 'rooms list --where nme=x'],
  [2, "rooms list --where 'created_at>tomorrow'"],
  [2, "rooms list --where 'age>90'"],
  [2, "rooms list --where 'age=90d'"],
  [1, "rooms list --where 'record=yes'"],
  [1, "rooms list --where 'online>many'"],
  [2, "rooms list --where 'name~['"],
  [2, "rooms list --where 'type<>open'"],
  [2, "rooms list --where 'name=~^Maths'"],
  [2, "rooms list --where 'type!=open,public'"],
  [2, "rooms list --where 'type!~open,public'"],
  [2, "rooms list --where 'status=closed'"],
  [2, "rooms list --where 'type=PRIVATE'"],
  [2, "rooms list --where 'name=/maths/i'"],
  [2, "rooms list --where 'name=%7a'"],
  [2, "rooms list --where 'name=Maths%207a'"],
  [2, 'rooms list --where name=7a'],
  [2, "rooms list --where 'name=Maths 7a' type=private"],
  [2, 'rooms list --count type'],
  [2, 'rooms create --name X --private'],
  [2, "members add 'name:Maths 7a' grace --host"],
  [2, "members add 'name:Maths 7a' grace teacher"],
  [2, "members update 'name:Maths 7a' ada monitor"],
  [2, 'rooms list --profile https://meet.test/v1'],
  [2, "rooms list --where 'name LIKE math'"],
  [2, "rooms list --where 'type=private and record=true'"],
  [2, 'rooms list --where'],
  [1, "rooms list --query 'rooms['"],
  [1, 'rooms list --columns id,nme'],
  [1, 'rooms list --columns id --json'],
  [1, 'rooms list --all --limit 5'],
  [2, "rooms create 'Maths 11'"],
  [1, 'rooms create --name X'],
  [2, 'rooms create --name X --type opn'],
  [2, 'rooms create --name X --type Private'],
  [2, 'rooms create --name X --type open --record yes'],
  [2, 'rooms create --name X --type open --record=true'],
  [2, 'rooms create --name X --type open --max-meeting-seconds 45min'],
  [2, 'rooms create --name X --type open --members ada'],
  [2, 'rooms create --name X --type open --member ada:owner'],
  [2, 'rooms create --name X --type open --webhook-url example.com'],
  [2, 'rooms create --name X --type open --set record'],
  [1, 'rooms create --data {name:}'],
  [1, 'rooms create --data @none.json'],
  [1, 'rooms create --data [1]'],
  [2, 'rooms create --title X --type open'],
  [2, 'rooms get Maths 7a'],
  [2, "rooms get 'Maths 7a'"],
  [2, 'rooms get'],
  [2, 'rooms get name:Nope'],
  [1, 'rooms get name:'],
  [2, 'join'],
  [2, 'rooms delete {room}'],
  [2, 'rooms delete'],
  [2, "rooms terminate 'Maths 7a' --yes"],
  [2, 'rooms wait {room}'],
  [2, 'rooms wait {room} --for done'],
  [2, 'rooms wait {room} --for terminated --timeout 1x'],
  [1, 'rooms update {room}'],
  [1, 'rooms update {room} --type open'],
  [2, 'rooms update {room} --nmae x'],
  [2, 'members get ada {room}'],
  [2, 'members add ada {room}'],
  [2, 'members add {room} grace --role host'],
  [2, 'members add {room} grace --type admin'],
  [2, 'members add {room} nobody'],
  [2, 'members list'],
  [2, 'members list ada'],
  [2, 'members block {open} x --yes'],
  [2, 'members update {room} ada --type host'],
  [2, 'members get {room} ada'],
  [2, 'members get {room}'],
  [2, 'members block {room} ada --yes'],
  [2, 'members add {room}'],
  [2, 'users create'],
  [2, 'users create ada'],
  [1, 'users update ada'],
  [2, 'users get Ada'],
  [2, 'users get nobody'],
  [2, 'users delete'],
  [2, 'users delete ada'],
  [2, 'users create bob --role host'],
  [2, 'users create bob --type host'],
  [2, 'users create bob --default-member-type admin'],
  [2, 'users create bob --profile-url x.png'],
  [2, 'users import'],
  [1, 'users import none.csv'],
  [1, 'users import folder'],
  [2, 'users import empty.csv'],
  [2, 'users import wrong.csv'],
  [1, 'users import badrole.csv'],
  [1, 'users import bad.json'],
  [2, 'users import noid.csv'],
  [2, 'users import notes.txt'],
  [2, 'users import latin1.csv --dry-run'],
  [2, 'users import quote.csv'],
  [1, 'users import people.csv --map Name'],
  [2, "users import people.csv --map 'Full name=nme'"],
  [2, 'users import people.csv --if-exists maybe'],
  [2, 'users import people.csv --resume'],
  [1, 'rooms import rooms.csv'],
  [2, 'members import members.csv'],
  [1, "members import members.csv --room 'Maths 7a'"],
  [1, 'members import members.csv --room nowhere'],
  [2, 'sessions list'],
  [2, 'sessions list {room} --status online'],
  [1, 'sessions report'],
  [2, 'sessions report {room} --from yesterdy'],
  [2, 'sessions watch'],
  [2, 'message send {room} hello world'],
  [2, 'message send {room}'],
  [2, "message send 'Maths 7a' hello"],
  [1, 'pages create {room}'],
  [2, 'pages create {room} --image a.png'],
  [2, 'pages delete {room}'],
  [2, 'api rooms'],
  [2, 'api GET rooms'],
  [2, 'api FETCH /rooms'],
  [2, 'api GET https://other.test/rooms'],
  [1, 'api GET /nothing'],
  [1, 'serve --port http'],
  [1, 'webhooks listen --port http'],
  [2, 'webhooks verify'],
  [2, 'completion tcsh'],
  [2, 'completion'],
  [2, 'help zzz'],
  [2, 'roms list'],
  [2, 'rooms lst'],
  [1, 'rooms list --hlep'],
  [2, 'help rooms nothing'],
  [2, 'rooms get {room} --jsn'],
  [2, 'rooms list --output'],
  [2, 'rooms list extra'],
  [2, 'users list ada'],
  [2, 'users rooms'],
  [2, 'users rooms nobody'],
  [2, 'rooms list --all-profiles'],
  [1, 'rooms list --json --output csv'],
  [2, 'rooms get -'],
  [2, 'users get -'],
  [2, 'members list -'],
  [2, 'schema nothing'],
  [2, 'users show ada grace'],
  [2, 'users invite ada@school.example'],
  [2, "users add ada to 'Maths 7a'"],
  [2, 'members add ada to {room}'],
  [2, 'remove ada from {room}'],
  [2, 'users hand-over ada to grace'],
  [2, "rooms rename 'Maths 7a' 'Maths 8a'"],
  [2, "users rename ada to 'Ada King'"],
  [2, 'members promote {room} ada'],
  [2, 'members promote {room} ada monitor'],
  [2, 'members demote {room} ada'],
  [2, "members get 'name:Maths 7a' ada"],
  [2, "members block ada 'name:Maths 7a'"],
  [2, "members add ada 'name:Maths 7a'"],
  [2, "members add ada 'Maths 7a'"],
  [2, "rooms get 'name=Maths 7a'"],
  [2, 'rooms get https://meet.test/v1/rooms/{room}'],
  [2, 'rooms get {room},{open}'],
  [2, 'users delete ada,grace --yes'],
  [2, "sessions list --room 'Maths 7a'"],
  [2, 'rooms list --sort name --sort type'],
  [2, 'rooms list --columns id --columns name'],
  [2, 'rooms list --sort name,desc'],
  [2, 'rooms list --no-headers'],
  [2, "rooms list --jq '.[].id'"],
  [2, "rooms list --query '.rooms[0] | .id'"],
  [2, 'rooms list --json id,name'],
  [2, 'rooms get {room} --json=id,name'],
  [2, 'rooms list -o name'],
  [2, 'members list {room} --where role=host'],
  [2, 'members list {room} --sort role'],
  [2, 'members list {room} --columns role,user'],
  [2, 'users list --where id=ada'],
  [2, 'audit list --user ada'],
  [2, 'audit list --outcome failed'],
  [2, 'usage --room {room}'],
  [2, "usage --room 'Maths 7a'"],
  [2, 'config set output=json'],
  [2, 'config set output = json'],
  [2, 'sessions report {room} --by users'],
  [2, 'rooms list -o csv --delimiter semicolon'],
  [2, 'audit list --since 1.9.2026'],
  [2, 'audit list --since=3/4/2026'],
  [2, "audit list --since '2 days ago'"],
  [1, 'audit list --since 2026-02-30'],
  [2, "rooms list --where 'created_at<1.9.2026'"],
  [2, "rooms list --where 'age>30 days'"],
  [2, "rooms list --where 'age>3months'"],
  [2, 'rooms list --timeout 10sec'],
  [2, 'rooms list', '', 'MEETROOM_TIMEOUT=10sec'],
  [2, "sessions report {room} --period 'last week'"],
  [2, 'usage --month 10/2026'],
  [2, 'rooms list --query room'],
  [2, 'rooms get {room} --query nam'],
  [2, "rooms list --query 'rooms[].nmae'"],
  [2, 'rooms list -n 5'],
  [2, 'rooms create Bio open'],
  [2, 'rooms create -n Bio -t open'],
  [2, 'rooms create -f room.json'],
  [2, 'rooms create --data room.json'],
  [1, 'rooms create --name X --type open --private'],
  [2, 'rooms list --private'],
  [2, 'rooms update {room} name=Neu'],
  [2, 'rooms update {room} record true'],
  [2, 'rooms list limit=5'],
  [2, 'rooms list where type=open'],
  [2, 'rooms list type=open'],
  [2, 'rooms list help'],
  [2, 'rooms list -help'],
  [2, 'rooms:list'],
  [2, 'get room/{room}'],
  [2, 'import people.csv users'],
  [2, 'members list --room {room}'],
  [2, 'members add {room} ada grace'],
  [2, "members list {room} --where 'type=teacher'"],
  [2, 'sessions kick {room} ada'],
  [1, 'sessions report {room} --format pdf'],
  [2, 'sessions report {room} --last 7d'],
  [2, 'audit list --last 10'],
  [2, 'rooms export rooms.csv'],
  [2, 'rooms list -o rooms.csv'],
  [2, "users import people.csv --separator ';'"],
  [2, 'users import https://school.test/users.csv'],
  [2, 'profiles create staging'],
  [2, "rooms list --where 'type=open,status=active'"],
  [2, "rooms list --where 'type in (open,private)'"],
  [2, "rooms list --where 'name contains Maths'"],
  [2, "rooms list --where '!record'"],
  [2, "rooms list --where 'created_at<7d ago'"],
  [2, "rooms list --where 'members>10 people'"],
  [2, "rooms list --columns 'name type'"],
  [2, 'rooms list --columns -id'],
  [2, 'rooms list --time-zone Europe/Berln'],
  [2, 'users get user:ada'],
  [2, 'users hand-over ada --to grace'],
  [2, 'rooms count'],
  [2, 'rooms wait {room} --for status=ended'],
  [2, 'rooms link {room} --user ada'],
  [2, 'audit show 5'],
  [2, "users create 'Ada King'"],
]

const files: Readonly<Record<string, string | Uint8Array>> = {
  'people.csv': 'user_id,name\nbob,Bob\n',
  'empty.csv': '',
  'wrong.csv': 'login,fullname\nbob,Bob\n',
  'badrole.csv': 'user_id,default_member_type\nbob,admin\n',
  'bad.json': '{"users": [',
  'noid.csv': 'name\nBob\n',
  'rooms.csv': 'name,type\nMaths 9,opn\n',
  'notes.txt': 'hello\n',
  'latin1.csv': Buffer.from('user_id,name\nbob,Jos\xe9\n', 'latin1'),
  'members.csv': 'user_id,type\nada,host\n',
  'quote.csv': 'user_id,name\nbob,"Bob\n',
}

async function createItems(world: World): Promise<Readonly<Record<string, string>>> {
  for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
  const room = async (name: string, type: string) =>
    (await world.send('POST', '/rooms', { name, type })).body.room.id
  const ids = { '{room}': await room('Maths 7a', 'private'), '{open}': await room('Maths 11', 'open') }
  const { body } = await world.send('POST', `/rooms/${ids['{room}']}/members`, { user_id: 'ada' })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(world.dir, name), text)
  mkdirSync(join(world.dir, 'folder'))
  return { ...ids, '{member}': body.member.id }
}

const key = 'abcdefghijklmnop'

test('the messages for common mistakes match the snapshot', async () => {
  const world = await createWorld()
  const ids = Object.entries(await createItems(world))
  const shown: string[] = []
  for (const [, line, stdin, env] of mistakes) {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    const argv = words.map((word) => ids.reduce((text, [name, id]) => text.replaceAll(name, id), word))
    const given = Object.fromEntries((env ?? '').split(' ').map((pair) => pair.split('=')))
    const { code, stderr } = await world.run(argv, {
      ...(stdin ? { stdin } : {}),
      env: { MEETROOM_NO_INPUT: '1', ...(env ? given : {}) },
    })
    expect(stderr, line).not.toContain(key)
    const named = [...ids, ['{dir}', world.dir] as const].reduce(
      (text, [name, id]) => text.replaceAll(id, name),
      stderr.replaceAll(' --base-url https://meet.test/v1', ''),
    )
    const shownLine = [
      line.replaceAll(key, '{key}'),
      stdin && `<<< ${stdin.replaceAll(key, '{key}')}`,
      env && `(${env})`,
    ]
    shown.push(`$ meetroom ${shownLine.filter(Boolean).join(' ')}\n${code}\n${named}`)
  }
  await expect(shown.join('\n')).toMatchFileSnapshot('../../fixtures/mistakes.txt')
})

test('the messages for common mistakes have an average score of at least 1.7 of 2 points', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(112)
  const points = mistakes.reduce((sum, [score]) => sum + score, 0)
  expect(points / mistakes.length).toBeGreaterThanOrEqual(1.7)
})

test('the synonym tables refer only to existing commands and flags', async () => {
  const known = await leaves()
  const paths = new Set(known.map(({ words }) => words.join(' ')))
  const groups = new Set(known.map(({ words }) => words[0]))
  for (const [group, commands] of Object.entries(verbs))
    for (const verb of Object.keys(commands)) expect(paths, `${group} ${verb}`).toContain(`${group} ${verb}`)
  for (const group of Object.values(nouns)) expect(groups).toContain(group)
  for (const line of Object.values(elsewhere)) expect(paths, line).toContain(line.replace(/ --.*/, ''))
  const all = [await wholeProgram(), ...known.map(({ command }) => command)]
  const long = new Set(all.flatMap(({ options }) => options.map((option) => option.long)))
  for (const flag of Object.values(flags).flat()) expect(long, flag).toContain(flag)
})

const secret = 'sk_live_51Hq8vZ2eKYlo2C0'

/** Returns command lines with a key as a surplus argument or as a command name. */
async function linesWithSurplusKey(): Promise<string[][]> {
  return (await leaves()).flatMap(({ words, command }) => {
    const args = command.registeredArguments
    if (words[0]?.startsWith('__') || args.some(({ variadic }) => variadic)) return []
    const choices = args.map(({ argChoices }) => argChoices?.[0] ?? 'x')
    return [
      [...words, ...choices, secret],
      [...words, ...choices, secret, secret],
      ...(words.length > 1 ? [[words[0] ?? '', secret]] : []),
    ]
  })
}

test('usage errors omit a surplus argument or unknown command that looks like a key', async () => {
  const world = await createWorld()
  for (const line of [['users', secret, 'get'], ...(await linesWithSurplusKey())]) {
    const { code, stderr } = await world.run(line)
    expect({ code, stderr }, line.join(' ')).toEqual({
      code: 2,
      stderr: expect.not.stringContaining(secret),
    })
  }
})

test('explainUsage() redacts a key in a Commander message about surplus arguments', async () => {
  const program = (await wholeProgram()) as MeetroomCommand
  for (const line of await linesWithSurplusKey()) {
    const error: unknown = await program.parseAsync(line, { from: 'user' }).catch((thrown) => thrown)
    if (!(error instanceof CommandLineError)) throw new Error(`${line.join(' ')} is accepted`)
    if (error.code !== 'commander.excessArguments') continue
    // Commander 15 lists the arguments in its message.
    const listing = new CommandLineError(error.command, error.code, `${error.message} Got: '${secret}'.`)
    const { message, hint, cause } = explainUsage(listing, line, program, testHost())
    expect({ message, hint, cause }, line.join(' ')).toEqual({
      message: expect.not.stringContaining(secret),
      hint: expect.anything(),
      cause: undefined,
    })
    expect(JSON.stringify(hint), line.join(' ')).not.toContain(secret)
  }
})

test('each command with an ID argument accepts “-” for standard input or exits 2', async () => {
  const world = await createWorld()
  const ids = ['room', 'user', 'user-id', 'member']
  for (const { words, command } of await leaves())
    for (const [at, argument] of command.registeredArguments.entries()) {
      if (!ids.includes(argument.name()) || words[0] === '__complete') continue
      const isRead = argument.variadic || argument.description.includes('standard input')
      const others = command.registeredArguments.slice(0, at).map(() => 'x')
      const rest = command.registeredArguments
        .slice(at + 1)
        .flatMap(({ required }) => (required ? ['x'] : []))
      const needed = command.options.flatMap(({ mandatory, long }) =>
        mandatory && long ? [long, 'empty'] : [],
      )
      const line = [...words, ...others, '-', ...rest, ...needed]
      world.requests.length = 0
      const { code, stderr } = await world.run([...line, '--yes'], { stdin: '' })
      if (isRead) expect(stderr, line.join(' ')).not.toContain('is not an ID')
      else {
        expect({ code, requests: world.requests.length }, line.join(' ')).toEqual({ code: 2, requests: 0 })
        expect(stderr, line.join(' ')).toContain(
          '“-” is not an ID, and this command reads no IDs from standard input',
        )
      }
    }
})

test('rooms list, rooms export and rooms delete suggest a pattern for * if no room matches', async () => {
  const world = await createWorld()
  await createItems(world)
  const notice = "--where name=Math*: “*” is an ordinary character; for a pattern: --where 'name~^Math'\n"
  for (const line of ['rooms list', 'rooms list --count', 'rooms export', 'rooms delete --yes --max 5']) {
    const { stderr } = await world.run([...line.split(' '), '--where', 'name=Math*'])
    expect(stderr.split(notice), line).toHaveLength(2)
  }
  expect((await world.run(['rooms', 'list', '--name', '*7a'])).stderr).toBe(
    "no rooms\n*7a: “*” is an ordinary character; for a pattern: --where 'name~7a$'\n",
  )
  expect((await world.run(['rooms', 'list', '--where', 'name~Math*'])).stderr).toBe('')
})

test('each command with the mistyped flag --yse exits 2 without side effects', async () => {
  const world = await createWorld()
  const listFiles = () => readdirSync(world.dir, { recursive: true })
  const before = listFiles()
  for (const { words, command } of await leaves()) {
    const args = command.registeredArguments.map(() => 'x')
    const files = command.options.flatMap(({ long, flags }) =>
      long && flags.includes('<file>') ? [long, join(world.dir, 'file')] : [],
    )
    const { code, stdout } = await world.run([...words, ...args, ...files, '--yse'])
    const requests = world.requests.length
    expect({ words, code, requests, stdout }).toEqual({ words, code: 2, requests: 0, stdout: '' })
  }
  expect(listFiles()).toEqual(before)
})

test('the hint for a command line with a repeated command names the command at most once', async () => {
  const world = await createWorld()
  for (const { words, command } of await leaves()) {
    // These commands treat surplus words differently.
    if (
      command.registeredArguments.some(({ variadic }) => variadic) ||
      /^(help|auth login|__)/.test(words.join(' '))
    )
      continue
    for (const flag of ['--local', '--quiet', '-q']) {
      const args = command.registeredArguments.map(() => 'x')
      const { code, stderr } = await world.run([flag, ...words, ...args, ...words, ...args])
      expect({ code, words }).toEqual({ code: 2, words })
      const [, hint = ''] = /^hint: .*?: meetroom (.*)$/m.exec(stderr) ?? []
      expect(hint.split(words.join(' ')).length, stderr).toBeLessThan(3)
      expect(stderr).not.toContain('takes no value')
    }
  }
})
