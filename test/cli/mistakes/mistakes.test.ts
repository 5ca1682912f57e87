import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CommandLineError, type MeetroomCommand } from '../../../src/cli/kernel/meetroom-command.ts'
import { elsewhere, flags, nouns, verbs } from '../../../src/cli/matching/meanings.ts'
import { explainUsage } from '../../../src/cli/mistakes/usage-error.ts'
import { testHost } from '../../helpers/host.ts'
import { leaves, wholeProgram } from '../../helpers/tree.ts'
import { createWorld, type World } from '../../helpers/world.ts'

/** Common mistakes. `{room}`, `{open}` and `{member}` stand for IDs. */
const mistakes: readonly (readonly [line: string, stdin?: string, env?: string])[] = [
  ['login'],
  ['logout'],
  ['whoami'],
  ['status'],
  ['auth whoami'],
  ['auth'],
  ['auth login sk_live_abcdefghijklmnop'],
  ['auth login --token sk_live_abcdefghijklmnop'],
  ['auth login --api-key sk_live_abcdefghijklmnop'],
  ['auth login --with-token', 'Bearer abcdefghijklmnopqrst'],
  ['auth login --with-token', 'Authorization: Bearer abcdefghijklmnopqrst'],
  ['auth login --with-token', 'MEETROOM_API_KEY=abcdefghijklmnopqrst'],
  ['auth login --with-token', '"abcdefghijklmnopqrst"'],
  ['auth login --with-token', 'abc'],
  ['auth login --with-token --base-url meet.test/v1', 'abcdefghijklmnopqrst'],
  ['auth login'],
  ['auth login --base-url'],
  ['auth logout --profile nowhere'],
  ['rooms list --profile nowhere'],
  ['profiles use nowhere'],
  ['profiles use'],
  ['config set baseurl https://x.test'],
  ['config set timeout'],
  ['config set timeout abc'],
  ['config set output yaml'],
  ['config get key'],
  ['config set api_key abcdefghijklmnop'],
  ['rooms list', '', 'MEETROOM_BASE_URL=meet.test'],
  ['rooms list', '', 'MEETROOM_OUTPUT=yaml'],
  ['rooms list -o yaml'],
  ['rooms list --format json'],
  ['rooms list --timeout 5x'],
  ['rooms list --retries many'],
  ['rooms list --local --profile staging'],
  ['rooms create --type private --name Maths 9'],
  ['rooms list --where name=Maths 7a'],
  ['rooms list --where name = Maths 7a'],
  ['rooms list --columns name, type'],
  ['rooms list --sort name desc'],
  ['users update ada --name Ada King'],
  ['users update --name Ada King ada'],
  ['users get name:Ada Lovelace'],
  ['rooms delete --where name=Maths 7a'],
  ['rooms list --limit 5 Maths'],
  ['rooms list --page 2 --per-page 10'],
  ['rooms get \'"{room}",\''],
  [`rooms create --data '{"room":{"name":"Physics","type":"open"}}'`],
  ['users create emmy --name Emmy --email emmy.gym.example'],
  ['users export users.xlsx'],
  ['attendance --month 2026-10'],
  ['sessions report {room} --from 01.11.2026 --to 30.11.2026'],
  ['rooms terminate {room} --dry-run false --yes'],
  ['members list {room} --all-rooms true'],
  ['users update ada --id bob'],
  ['members list --user ada'],
  ['members get ada'],
  ["rooms delete --where 'name like Maths%' --yes"],
  ['rooms list --where "type=private"'],
  ['rooms create --name Physics --visibility private'],
  ['sessions list {room} --active'],
  ['sessions watch --all'],
  ["message send 'School closes at four'"],
  ['message send --all-rooms --text Hello'],
  ['api PATCH /rooms/{room} -f name=Physics'],
  ["api GET 'C:/Program Files/Git/rooms'"],
  ['profiles current'],
  ['rooms list --where “name=Maths 7a”'],
  ['rooms list --where ‘name=Maths’'],
  ['rooms list --where "\'name=Maths 7a\'"'],
  ['rooms list –-where name=x'],
  ['rooms list —json'],
  ['users get „ada“'],
  ["rooms list --where 'name=maths 7a'"],
  ['rooms list --where type=open,private'],
  ['rooms list --where name=Maths,Bio'],
  ["rooms get 'maths 7A'"],
  ["members add {room} 'Ada Lovelace'"],
  ['users update ADA --name x'],
  ["message send {room} ''"],
  ['usage 2026-10'],
  ['usage --html report.pdf'],
  ['curl -X POST https://meet.test/v1/rooms -H key:x -d {}'],
  ['curl https://meet.test/v1/rooms?limit=3'],
  ['list rooms'],
  ['create room'],
  ['delete user ada'],
  ['get room {room}'],
  ['get rooms'],
  ['import'],
  ['import users people.csv'],
  ['import people.csv'],
  ['export'],
  ['export users'],
  ['new room'],
  ['users'],
  ['rooms'],
  ['rooms new'],
  ["rooms add 'Maths 12'"],
  ['rooms remove {room}'],
  ['rooms edit {room}'],
  ['rooms close {room}'],
  ['rooms end {room}'],
  ['rooms stop {room}'],
  ["rooms find 'Maths 7a'"],
  ['rooms search Maths'],
  ['rooms members {room}'],
  ['rooms invite {room} ada'],
  ['rooms join {room}'],
  ['users add bob'],
  ['users remove bob'],
  ['users invite bob'],
  ['members remove {room} ada'],
  ['members delete {room} ada'],
  ['members rm {room} ada'],
  ['members kick {room} ada'],
  ['members invite {room} grace'],
  ['members create {room} grace'],
  ['members ban {room} ada'],
  ['sessions get x'],
  ['sessions show'],
  ['send {room} hello'],
  ['message {room} hello'],
  ['message'],
  ['rooms list --type private'],
  ['rooms list --status active'],
  ['rooms list --find math'],
  ['rooms list --filter type=private'],
  ['rooms list --sort-by name'],
  ['rooms list --limit all'],
  ['rooms list --limit 0'],
  ['rooms list --limit -1'],
  ['rooms list --page 2'],
  ['rooms list --offset two'],
  ['rooms list --where age'],
  ['rooms list --where name'],
  ["rooms list --where 'name=math*'"],
  ["rooms list --where 'name=Math*'"],
  ['rooms list --where type=opn'],
  ['rooms list --where nme=x'],
  ["rooms list --where 'created_at>tomorrow'"],
  ["rooms list --where 'age>90'"],
  ["rooms list --where 'age=90d'"],
  ["rooms list --where 'record=yes'"],
  ["rooms list --where 'online>many'"],
  ["rooms list --where 'name~['"],
  ["rooms list --where 'type<>open'"],
  ["rooms list --where 'name=~^Maths'"],
  ["rooms list --where 'type!=open,public'"],
  ["rooms list --where 'type!~open,public'"],
  ["rooms list --where 'status=closed'"],
  ["rooms list --where 'type=PRIVATE'"],
  ["rooms list --where 'name=/maths/i'"],
  ["rooms list --where 'name=%7a'"],
  ["rooms list --where 'name=Maths%207a'"],
  ['rooms list --where name=7a'],
  ["rooms list --where 'name=Maths 7a' type=private"],
  ['rooms list --count type'],
  ['rooms create --name X --private'],
  ["members add 'name:Maths 7a' grace --host"],
  ["members add 'name:Maths 7a' grace teacher"],
  ["members update 'name:Maths 7a' ada monitor"],
  ['rooms list --profile https://meet.test/v1'],
  ["rooms list --where 'name LIKE math'"],
  ["rooms list --where 'type=private and record=true'"],
  ['rooms list --where'],
  ["rooms list --query 'rooms['"],
  ['rooms list --columns id,nme'],
  ['rooms list --columns id --json'],
  ['rooms list --all --limit 5'],
  ["rooms create 'Maths 11'"],
  ['rooms create --name X'],
  ['rooms create --name X --type opn'],
  ['rooms create --name X --type Private'],
  ['rooms create --name X --type open --record yes'],
  ['rooms create --name X --type open --record=true'],
  ['rooms create --name X --type open --max-meeting-seconds 45min'],
  ['rooms create --name X --type open --members ada'],
  ['rooms create --name X --type open --member ada:owner'],
  ['rooms create --name X --type open --webhook-url example.com'],
  ['rooms create --name X --type open --set record'],
  ['rooms create --data {name:}'],
  ['rooms create --data @none.json'],
  ['rooms create --data [1]'],
  ['rooms create --title X --type open'],
  ['rooms get Maths 7a'],
  ["rooms get 'Maths 7a'"],
  ['rooms get'],
  ['rooms get name:Nope'],
  ['rooms get name:'],
  ['join'],
  ['rooms delete {room}'],
  ['rooms delete'],
  ["rooms terminate 'Maths 7a' --yes"],
  ['rooms wait {room}'],
  ['rooms wait {room} --for done'],
  ['rooms wait {room} --for terminated --timeout 1x'],
  ['rooms update {room}'],
  ['rooms update {room} --type open'],
  ['rooms update {room} --nmae x'],
  ['members get ada {room}'],
  ['members add ada {room}'],
  ['members add {room} grace --role host'],
  ['members add {room} grace --type admin'],
  ['members add {room} nobody'],
  ['members list'],
  ['members list ada'],
  ['members block {open} x --yes'],
  ['members update {room} ada --type host'],
  ['members get {room} ada'],
  ['members get {room}'],
  ['members block {room} ada --yes'],
  ['members add {room}'],
  ['users create'],
  ['users create ada'],
  ['users update ada'],
  ['users get Ada'],
  ['users get nobody'],
  ['users delete'],
  ['users delete ada'],
  ['users create bob --role host'],
  ['users create bob --type host'],
  ['users create bob --default-member-type admin'],
  ['users create bob --profile-url x.png'],
  ['users import'],
  ['users import none.csv'],
  ['users import folder'],
  ['users import empty.csv'],
  ['users import wrong.csv'],
  ['users import badrole.csv'],
  ['users import bad.json'],
  ['users import noid.csv'],
  ['users import notes.txt'],
  ['users import latin1.csv --dry-run'],
  ['users import quote.csv'],
  ['users import people.csv --map Name'],
  ["users import people.csv --map 'Full name=nme'"],
  ['users import people.csv --if-exists maybe'],
  ['users import people.csv --resume'],
  ['rooms import rooms.csv'],
  ['members import members.csv'],
  ["members import members.csv --room 'Maths 7a'"],
  ['members import members.csv --room nowhere'],
  ['sessions list'],
  ['sessions list {room} --status online'],
  ['sessions report'],
  ['sessions report {room} --from yesterdy'],
  ['sessions watch'],
  ['message send {room} hello world'],
  ['message send {room}'],
  ["message send 'Maths 7a' hello"],
  ['pages create {room}'],
  ['pages create {room} --image a.png'],
  ['pages delete {room}'],
  ['api rooms'],
  ['api GET rooms'],
  ['api FETCH /rooms'],
  ['api GET https://other.test/rooms'],
  ['api GET /nothing'],
  ['serve --port http'],
  ['webhooks listen --port http'],
  ['webhooks verify'],
  ['completion tcsh'],
  ['completion'],
  ['help zzz'],
  ['roms list'],
  ['rooms lst'],
  ['rooms list --hlep'],
  ['help rooms nothing'],
  ['rooms get {room} --jsn'],
  ['rooms list --output'],
  ['rooms list extra'],
  ['users list ada'],
  ['users rooms'],
  ['users rooms nobody'],
  ['rooms list --all-profiles'],
  ['rooms list --json --output csv'],
  ['rooms get -'],
  ['users get -'],
  ['members list -'],
  ['schema nothing'],
  ['users show ada grace'],
  ['users invite ada@school.example'],
  ["users add ada to 'Maths 7a'"],
  ['members add ada to {room}'],
  ['remove ada from {room}'],
  ['users hand-over ada to grace'],
  ["rooms rename 'Maths 7a' 'Maths 8a'"],
  ["users rename ada to 'Ada King'"],
  ['members promote {room} ada'],
  ['members promote {room} ada monitor'],
  ['members demote {room} ada'],
  ["members get 'name:Maths 7a' ada"],
  ["members block ada 'name:Maths 7a'"],
  ["members add ada 'name:Maths 7a'"],
  ["members add ada 'Maths 7a'"],
  ["rooms get 'name=Maths 7a'"],
  ['rooms get https://meet.test/v1/rooms/{room}'],
  ['rooms get {room},{open}'],
  ['users delete ada,grace --yes'],
  ["sessions list --room 'Maths 7a'"],
  ['rooms list --sort name --sort type'],
  ['rooms list --columns id --columns name'],
  ['rooms list --sort name,desc'],
  ['rooms list --no-headers'],
  ["rooms list --jq '.[].id'"],
  ["rooms list --query '.rooms[0] | .id'"],
  ['rooms list --json id,name'],
  ['rooms get {room} --json=id,name'],
  ['rooms list -o name'],
  ['members list {room} --where role=host'],
  ['members list {room} --sort role'],
  ['members list {room} --columns role,user'],
  ['users list --where id=ada'],
  ['audit list --user ada'],
  ['audit list --outcome failed'],
  ['usage --room {room}'],
  ["usage --room 'Maths 7a'"],
  ['config set output=json'],
  ['config set output = json'],
  ['sessions report {room} --by users'],
  ['rooms list -o csv --delimiter semicolon'],
  ['audit list --since 1.9.2026'],
  ['audit list --since=3/4/2026'],
  ["audit list --since '2 days ago'"],
  ['audit list --since 2026-02-30'],
  ["rooms list --where 'created_at<1.9.2026'"],
  ["rooms list --where 'age>30 days'"],
  ["rooms list --where 'age>3months'"],
  ['rooms list --timeout 10sec'],
  ['rooms list', '', 'MEETROOM_TIMEOUT=10sec'],
  ["sessions report {room} --period 'last week'"],
  ['usage --month 10/2026'],
  ['rooms list --query room'],
  ['rooms get {room} --query nam'],
  ["rooms list --query 'rooms[].nmae'"],
  ['rooms list -n 5'],
  ['rooms create Bio open'],
  ['rooms create -n Bio -t open'],
  ['rooms create -f room.json'],
  ['rooms create --data room.json'],
  ['rooms create --name X --type open --private'],
  ['rooms list --private'],
  ['rooms update {room} name=Neu'],
  ['rooms update {room} record true'],
  ['rooms list limit=5'],
  ['rooms list where type=open'],
  ['rooms list type=open'],
  ['rooms list help'],
  ['rooms list -help'],
  ['rooms:list'],
  ['get room/{room}'],
  ['import people.csv users'],
  ['members list --room {room}'],
  ['members add {room} ada grace'],
  ["members list {room} --where 'type=teacher'"],
  ['sessions kick {room} ada'],
  ['sessions report {room} --format pdf'],
  ['sessions report {room} --last 7d'],
  ['audit list --last 10'],
  ['rooms export rooms.csv'],
  ['rooms list -o rooms.csv'],
  ["users import people.csv --separator ';'"],
  ['users import https://school.test/users.csv'],
  ['profiles create staging'],
  ["rooms list --where 'type=open,status=active'"],
  ["rooms list --where 'type in (open,private)'"],
  ["rooms list --where 'name contains Maths'"],
  ["rooms list --where '!record'"],
  ["rooms list --where 'created_at<7d ago'"],
  ["rooms list --where 'members>10 people'"],
  ["rooms list --columns 'name type'"],
  ['rooms list --columns -id'],
  ['rooms list --time-zone Europe/Berln'],
  ['users get user:ada'],
  ['users hand-over ada --to grace'],
  ['rooms count'],
  ['rooms wait {room} --for status=ended'],
  ['rooms link {room} --user ada'],
  ['audit show 5'],
  ["users create 'Ada King'"],
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
  for (const [line, stdin, env] of mistakes) {
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

test('each command with an ID argument requests the ID from standard input for “-” or exits 2', async () => {
  const world = await createWorld()
  const { '{room}': room = '' } = await createItems(world)
  const ids = ['room', 'user', 'user-id', 'member']
  for (const { words, command } of await leaves())
    for (const [at, argument] of command.registeredArguments.entries()) {
      if (!ids.includes(argument.name()) || words[0] === '__complete') continue
      const isRead = argument.variadic || argument.description.includes('standard input')
      const others = command.registeredArguments.slice(0, at).map(() => room)
      const rest = command.registeredArguments
        .slice(at + 1)
        .flatMap(({ required }) => (required ? ['x'] : []))
      const needed = command.options.flatMap(({ mandatory, long }) =>
        mandatory && long ? [long, 'empty'] : [],
      )
      const line = [...words, ...others, '-', ...rest, ...needed]
      world.requests.length = 0
      const { code, stderr } = await world.run([...line, '--yes'], {
        stdin: 'piped\n',
        env: { MEETROOM_JOIN_URL: 'https://app.test/{room_id}' },
      })
      if (isRead) expect(world.requests.map(({ url }) => url).join('\n'), line.join(' ')).toContain('/piped')
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

test.each([
  'auth lgin https://meet.test/v1 --key-command touch\\ made',
  'profiles remve staging --yes',
  'profiles us staging',
  'config st output json',
  'rooms delte {room} --yes --save made',
  'rooms creat --name X --type open',
  'users creat grace',
  'api DELETE rooms/{room} --yes',
  'api POST users -f user_id=grace',
  'workspace exprt --out made',
  'webhooks trigger sessionJoined --url https://other.test/hook --yes',
  'local bakup made',
  'serve -p 4330 -d made',
])('the suggestion for the mistyped line “%s” is checked without side effects', async (line) => {
  const world = await createWorld()
  const { '{room}': room = '' } = await createItems(world)
  mkdirSync(world.configDir, { mode: 0o700, recursive: true })
  const config = join(world.configDir, 'config.json')
  writeFileSync(config, '{"profiles":{"staging":{}}}', { mode: 0o600 })
  const listFiles = () => readdirSync(world.dir, { recursive: true }).sort()
  const before = listFiles()
  world.requests.length = 0
  const words = line.replace('{room}', room).match(/(?:\\.|\S)+/g) ?? []
  const { code, stderr } = await world.run(words.map((word) => word.replace('\\', '')))
  expect({ code, requests: world.requests }).toEqual({ code: 2, requests: [] })
  expect(stderr).toContain('\nhint: ')
  expect(listFiles()).toEqual(before)
  expect(readFileSync(config, 'utf8')).toBe('{"profiles":{"staging":{}}}')
})
