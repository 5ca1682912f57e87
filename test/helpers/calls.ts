import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { copyDatabase } from '../../src/embedded/store/copy.ts'
import { openSqlite } from '../../src/embedded/store/sqlite.ts'
import { Store } from '../../src/embedded/store/store.ts'
import { addDelivery } from './deliveries.ts'
import { findFreePort } from './free-port.ts'
import { leaves } from './tree.ts'
import { baseUrl, tempDir, worldsWith } from './world.ts'

/**
 * Values of arguments by name. `ROOM`, `MEMBER` and `DELIVERY` stand for IDs, and `GROUP` for the first word
 * of the command.
 */
const values: Record<string, string> = {
  room: 'ROOM',
  member: 'MEMBER',
  user: 'ada',
  from: 'ada',
  to: 'grace',
  into: 'grace',
  'user-id': 'new',
  'base-url': 'https://meet.test/v1',
  file: 'GROUP.csv',
  text: 'hi',
  method: 'POST',
  path: '/users',
  'body-file': 'body.json',
  'seed-file': 'body.json',
  action: 'freeze',
  duration: '',
  operation: 'createRoom',
  profile: 'spare',
  setting: 'timeout',
  value: '9',
  topic: 'exit-codes',
  command: 'rooms list',
  shell: 'bash',
  line: 'meetroom\trooms\tget\t',
  replaced: '',
  event: 'sessionJoined',
  id: 'DELIVERY',
  reason: '63',
  backup: 'workspace/workspace.db',
}

/** Words of each call after the command; by default `ARGS`, a placeholder for the values. */
const lines: Record<string, readonly string[]> = {
  'rooms create': ['--name N --type open', '--name N --type open --if-not-exists'],
  'rooms link': ['ARGS --as ada', '--where type=private --as ada'],
  'rooms open': ['ARGS --as ada'],
  'rooms wait': ['ARGS --for empty', 'ARGS --for members>0 --timeout 1s'],
  'rooms update': [
    ...['ARGS --name N', 'ARGS --terminated', '--where type=private --name {name}2'],
    '--where type=private --rename s/R/S/',
  ],
  'rooms terminate': ['ARGS', '--where type=private'],
  'rooms reopen': ['ARGS', '--where type=private'],
  'rooms delete': ['ARGS', '--where type=private', 'ARGS --save saved.ndjson'],
  'members add': [
    ...['ROOM grace', 'ROOM grace --if-not-exists', '--all-rooms --user grace'],
    '--where type=private --user grace',
  ],
  'members list': ['ARGS', '--all-rooms --sort name'],
  'members update': ['ARGS --type host', '--where type=private --user ada --name N'],
  'members block': ['ARGS', 'ROOM --where type=guest', '--user ada --all-rooms'],
  'members unblock': ['ARGS', 'ROOM --where type=guest', '--user ada --all-rooms'],
  'members import': ['ARGS --room ROOM'],
  'users create': ['ARGS', 'ada --overwrite', 'ARGS --if-not-exists'],
  'users update': ['ARGS --name N', '--where name= --name {user_id}'],
  'users delete': ['ARGS', '--where name=', 'ARGS --save saved.ndjson'],
  'users offboard': ['ARGS', '--where name=', 'ARGS --save saved.ndjson'],
  'users hand-over': ['ada grace'],
  'users merge': ['ada grace'],
  'workspace diff': ['workspace.yaml'],
  'workspace apply': ['changed.yaml'],
  'workspace adopt': ['workspace.yaml'],
  'sessions list': ['ARGS', '--all-rooms --online --sort name', '--where type=private --count'],
  'message send': ['ARGS', '--where type=private --text hi'],
  'audit list': ['changes.ndjson', 'changes.ndjson --names', 'changes.ndjson --html changes.html'],
  'pages create': [
    'ARGS --image https://img.test/a.png',
    '--where type=private --image https://img.test/a.png',
  ],
  'local backup': ['ARGS --data-dir workspace'],
  'local restore': ['ARGS --data-dir restored'],
  'local reset': ['--data-dir workspace'],
  'local tidy': ['--data-dir workspace'],
  'local clock': ['freeze --control control.json'],
  'local fail': ['createRoom --status 503 --control control.json'],
  'local seed': ['body.json --control control.json'],
  'webhooks listen': ['--port 0 --exec touch'],
  'webhooks verify': ['ARGS --headers headers.txt'],
  'webhooks trigger': ['ARGS --to http://127.0.0.1:4681/'],
  'webhooks redeliver': ['ARGS', '--since 1h'],
  api: [
    'ARGS -f user_id=new',
    'PUT /users/ada -f name=N',
    'DELETE /users/ada',
    'DELETE /users/ada --save saved.ndjson',
    'GET /users',
    ...['GET /users --paginate', 'GET /users -i -H X-Trace:1', 'DELETE /users/ada -i'],
  ],
  // Completion treats a tab as white space.
  __complete: [
    'bash meetroom\trooms\tget\t',
    'fish meetroom\tmembers\tget\tROOM\t',
    'zsh meetroom\tusers\tget\t',
    `powershell ${Buffer.from('meetroom\nusers\nget\n').toString('base64')}`,
  ],
  serve: ['--port 0', '--port 0 --ephemeral', `--print-env --port ${await findFreePort()}`],
  'auth status': ['', '--wait 1s'],
  'auth login': ['--with-token', '--key-command KEYCOMMAND'],
  // Without --local, doctor opens its own connections, which doctor.built.test.ts tests.
  doctor: ['--local'],
  'cache warm': [],
}

/** Commands that refuse --dry-run and --curl. */
export const sendsNothing =
  /^(serve|join|sessions watch|webhooks (listen|verify)|audit|auth|profiles|config|cache|local|help|openapi|version|commands|schema|doctor|completion|__complete)\b/
/** Command that sends a request to the URL of `--to`. */
export const sendsElsewhere = /^webhooks trigger\b/
/** Calls that need a running service with a control file. */
export const needsControl = / --control /
/** Commands that run until they are stopped. */
export const stays = /^(serve(?!.*--print-env)|join|sessions watch|webhooks listen)\b/

export async function allCalls(): Promise<string[]> {
  return (await leaves()).flatMap(({ words, command }) => {
    const name = words.join(' ')
    const args = command.registeredArguments.map((argument) => {
      const value = values[argument.name()]
      if (value === undefined) throw new Error(`${name}: no value for <${argument.name()}> in this test`)
      return value.replace('GROUP', words[0] ?? '')
    })
    return (lines[name] ?? ['ARGS']).map((line) => `${name} ${line.replace('ARGS', args.join(' '))}`.trim())
  })
}

/** Groups calls by their first two words. */
export function byCommand(calls: readonly string[]): string[][] {
  const groups = new Map<string, string[]>()
  for (const call of calls) {
    const name = call.split(' ', 2).join(' ')
    groups.set(name, [...(groups.get(name) ?? []), call])
  }
  return [...groups.values()]
}

interface Prepared {
  isProtected?: boolean
  /** True to get the key of the profile from a command. */
  keyCommand?: boolean
}

const createFilled = worldsWith(async (world) => {
  for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
  const { room } = (await world.send('POST', '/rooms', { name: 'R', type: 'private' })).body
  const { member } = (await world.send('POST', `/rooms/${room.id}/members`, { user_id: 'ada' })).body
  const DELIVERY = await addDelivery(world.store, { id: 'msg_1' })
  return { ROOM: room.id as string, MEMBER: member.id as string, DELIVERY }
})

/** Creates a world for the calls. The parameters apply to the current profile. */
export async function prepare({ isProtected = false, keyCommand = false }: Prepared = {}) {
  const { world, made } = await createFilled()
  const file = (name: string, text: string) => writeFileSync(join(world.dir, name), text)
  file('rooms.csv', 'name,type\nnew,open\n')
  file('users.csv', 'user_id\nnew\n')
  file('members.csv', 'user_id\ngrace\n')
  file('workspace.yaml', 'users: [{ user_id: ada }]\nrooms: []\n')
  file('changed.yaml', 'users: [{ user_id: new }]\n')
  file('headers.txt', 'content-type: application/json\n')
  file('body.json', JSON.stringify(webhook))
  file('changes.ndjson', change)
  await mkdir(world.configDir)
  const join_url = 'https://app.test/{room_id}#{access_token}'
  const service = { base_url: baseUrl, api_key_origin: new URL(baseUrl).origin, join_url }
  const spare = { ...service, api_key: world.apiKey }
  const KEYCOMMAND = `/bin/cat ${join(world.dir, 'key')}`
  const production = keyCommand ? { ...service, key_command: KEYCOMMAND } : spare
  const profiles = { production: { ...production, protected: isProtected }, spare }
  writeFileSync(join(world.configDir, 'config.json'), JSON.stringify({ profile: 'production', profiles }), {
    mode: 0o600,
  })
  file('key', world.apiKey)
  await mkdir(join(world.dir, 'workspace'))
  emptyWorkspace ??= createEmptyWorkspace()
  writeFileSync(join(world.dir, 'workspace/workspace.db'), await emptyWorkspace)
  const ids: Record<string, string> = { ...made, KEYCOMMAND }
  const argvOf = (call: string) => call.split(' ').map((word) => ids[word] ?? word)
  return { world, ids, argvOf }
}

/** Returns the file content of an empty workspace database. */
async function createEmptyWorkspace(): Promise<Buffer> {
  const path = join(tempDir(), 'workspace.db')
  const sqlite = await openSqlite(':memory:', (load) => load())
  // Small pages make a small file, which tests write and search hundreds of times.
  sqlite.exec('PRAGMA page_size = 512')
  new Store(sqlite)
  copyDatabase(sqlite, path, { directory: dirname(path), overwrite: false })
  return readFileSync(path)
}

let emptyWorkspace: Promise<Buffer> | undefined

const change = `${JSON.stringify({
  ...{ time: '2026-01-01T10:00:00.000Z', id: '1', event: 'intent', profile: 'production', origin: baseUrl },
  ...{ operation: 'users.update', ids: { user_id: 'ada' }, changed: ['name'], command: 'users update' },
})}\n`

const webhook = {
  action: 'sessionJoined',
  payload: {
    ...{ roomId: 'r', userId: 'ada', memberId: 'm', sessionId: 's', sessionsCount: 1, membersCount: 1 },
    timestamp: '2024-05-06T07:08:09.123Z',
  },
}

/** Returns the content of every file below a directory by relative path; `folder` for a directory. */
export function filesOf(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names.map((name) => {
      const path = join(dir, name)
      return [name, statSync(path).isFile() ? readFileSync(path, 'latin1') : 'folder']
    }),
  )
}
