import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../helpers/world.ts'
import type { Thing } from './fake.ts'
import {
  blocked,
  ended,
  full,
  givenUp,
  open,
  roomNames,
  type School,
  type State,
  second,
  userIds,
} from './school.ts'

/** One way to call a command, and the proof that its exit code 0 is true. */
export interface Scenario {
  /** The words of the command. */
  readonly leaf: string
  readonly argv: (school: School) => readonly string[]
  readonly stdin?: string
  /** Exit code 0 would be wrong with the embedded service, too. */
  readonly isNeverDone?: boolean
  /** Whether the state has what exit code 0 claims. Commands that only read have none. */
  readonly done?: (after: State, before: State, school: School) => boolean
  /** What is printed, and all that may be. A value that the service does not show may be empty. */
  readonly rows?: (before: State, school: School) => readonly string[]
  /** Part of the rows is right, too: the command was not asked for all of them. */
  readonly isPart?: boolean
  /** The rows that were printed, where they are not lines. */
  readonly printed?: (run: Run) => readonly string[]
}

const lines = ({ stdout }: Run) => stdout.split(/\r?\n/).slice(0, -1)
/** The values of a column of CSV; those of this suite hold no quotes. */
const column = (name: string) => (run: Run) => {
  const [header = '', ...rows] = lines(run)
  const at = header.split(',').indexOf(name)
  return rows.map((row) => row.split(',')[at] ?? '')
}
const names = ({ rooms }: State) => rooms.map(({ name }) => String(name))
const named = ({ rooms }: State, name: string) => rooms.filter((room) => room['name'] === name)
const userOf = ({ users }: State, id: string) => users.find(({ user_id }) => user_id === id)
const csv = (field: string) => ['-o', 'csv', '--columns', field, '--no-header']
const memberOf = (state: State, room: string, user: string): Thing | undefined =>
  state.members.find(({ room_id, user_id }) => room_id === named(state, room)[0]?.['id'] && user_id === user)
const yes = '--yes'
const roster = 'user_id,name\nnew1,New One\nnew2,New Two\n'

const newRoom = 'rooms: [{ key: new, name: New, type: private, members: [{ user_id: u05, type: host }] }]\n'
const twoRooms = `rooms: [{ key: full, name: ${full}, type: private }, { key: new, name: New, type: open }]\n`

/** Writes a workspace file, and returns its name. */
function withFile({ world }: School, text: string): string {
  writeFileSync(join(world.dir, 'school.yaml'), text)
  return 'school.yaml'
}

/** Every command that reads from a service or writes to it. */
export const scenarios: readonly Scenario[] = [
  { leaf: 'rooms list', argv: () => ['rooms', 'list', '--all', ...csv('name')], rows: names },
  { leaf: 'rooms list', argv: () => ['rooms', 'list', ...csv('name')], rows: names, isPart: true },
  {
    leaf: 'rooms list',
    argv: () => ['rooms', 'list', '--where', 'type=private', ...csv('name')],
    rows: ({ rooms }) => rooms.filter(({ type }) => type === 'private').map(({ name }) => String(name)),
  },
  {
    leaf: 'rooms list',
    argv: () => ['rooms', 'list', '--where', 'status=terminated', ...csv('name')],
    rows: () => [ended],
  },
  {
    leaf: 'rooms list',
    argv: () => ['rooms', 'list', '--count'],
    rows: ({ rooms }) => [String(rooms.length)],
  },
  {
    leaf: 'rooms list',
    argv: () => ['rooms', 'list', '--count-by', 'type', '-o', 'csv', '--no-header'],
    rows: () => [`private,2`, `open,${roomNames.length - 2}`],
    printed: (run: Run) => lines(run).map((line) => line.toLowerCase()),
  },
  {
    leaf: 'rooms get',
    argv: ({ room }) => ['rooms', 'get', room(full), ...csv('name')],
    rows: () => [full],
  },
  {
    leaf: 'rooms wait',
    argv: ({ room }) => ['rooms', 'wait', room(open), '--for', 'status=terminated', '--timeout', '2s'],
    done: () => false,
    isNeverDone: true,
  },
  {
    leaf: 'rooms wait',
    argv: ({ room }) => ['rooms', 'wait', room(ended), '--for', 'status=terminated', '--timeout', '2s'],
  },
  { leaf: 'rooms export', argv: () => ['rooms', 'export'], rows: names, printed: column('name') },
  {
    leaf: 'rooms create',
    argv: () => ['rooms', 'create', '--name', 'New', '--type', 'open'],
    done: (after) => named(after, 'New').length === 1,
  },
  {
    leaf: 'rooms create',
    argv: () => ['rooms', 'create', '--name', 'Room 05', '--type', 'open', '--if-not-exists'],
    done: (after) => named(after, 'Room 05').length === 1,
  },
  {
    leaf: 'rooms update',
    argv: ({ room }) => ['rooms', 'update', room(open), '--name', 'Renamed'],
    done: (after) => named(after, 'Renamed').length === 1,
  },
  {
    leaf: 'rooms update',
    argv: () => ['rooms', 'update', '--where', 'type=private', '--name', 'Renamed', yes],
    done: (after) => named(after, 'Renamed').length === 2,
  },
  {
    leaf: 'rooms terminate',
    argv: ({ room }) => ['rooms', 'terminate', room(full), room(open), yes],
    done: (after) => [full, open].every((name) => named(after, name)[0]?.['terminated_at']),
  },
  {
    leaf: 'rooms terminate',
    argv: () => ['rooms', 'terminate', '--where', 'type=open', '--where', 'status=active', yes],
    done: (after) => after.rooms.every((room) => room['type'] !== 'open' || room['terminated_at']),
  },
  {
    leaf: 'rooms reopen',
    argv: ({ room }) => ['rooms', 'reopen', room(ended), yes],
    done: (after) => named(after, ended)[0]?.['terminated_at'] === null,
  },
  {
    leaf: 'rooms delete',
    argv: ({ room }) => ['rooms', 'delete', room(full), room(open), yes],
    done: (after) => !names(after).some((name) => [full, open].includes(name)),
  },
  {
    leaf: 'rooms delete',
    argv: ({ room }) => ['rooms', 'delete', room(open), '--ignore-not-found', yes],
    done: (after) => !names(after).includes(open),
  },
  {
    leaf: 'rooms delete',
    argv: () => ['rooms', 'delete', '--where', 'type=open', yes, '--max', '50'],
    done: (after) => after.rooms.length === 2,
  },
  {
    leaf: 'rooms import',
    argv: () => ['rooms', 'import', '-', '--input-format', 'csv', '--no-journal'],
    stdin: 'name,type\nNew 1,open\nNew 2,private\n',
    done: (after) => names(after).includes('New 1') && names(after).includes('New 2'),
  },
  {
    leaf: 'rooms import',
    argv: () => 'rooms import - --input-format csv --no-journal --match name --if-exists update'.split(' '),
    stdin: 'name,type\nNew 1,open\nRoom 05,open\n',
    done: (after) => names(after).includes('New 1') && named(after, 'Room 05').length === 1,
  },
  {
    leaf: 'members list',
    argv: ({ room }) => ['members', 'list', room(full), '--all', ...csv('user_id')],
    rows: () => userIds,
  },
  {
    leaf: 'members list',
    argv: ({ room }) => ['members', 'list', room(full), '--count'],
    rows: () => [String(userIds.length)],
  },
  {
    leaf: 'members list',
    argv: ({ room }) => ['members', 'list', room(full), '--where', 'status=blocked', ...csv('user_id')],
    rows: () => [blocked],
  },
  {
    leaf: 'members get',
    argv: ({ room }) => ['members', 'get', room(full), '--user', 'u05', ...csv('user_id')],
    rows: () => ['u05'],
  },
  {
    leaf: 'members add',
    argv: ({ room }) => ['members', 'add', room(second), 'u05', '--type', 'host'],
    done: (after) => memberOf(after, second, 'u05')?.['type'] === 'host',
  },
  {
    leaf: 'members add',
    argv: ({ room }) => ['members', 'add', room(full), 'u05', '--if-not-exists'],
    done: (after) => memberOf(after, full, 'u05') !== undefined,
  },
  {
    leaf: 'members add',
    argv: () => ['members', 'add', '--where', 'type=private', '--user', 'u05', yes],
    done: (after) => [full, second].every((room) => memberOf(after, room, 'u05') !== undefined),
  },
  {
    leaf: 'members update',
    argv: ({ room }) => ['members', 'update', room(full), '--user', 'u05', '--type', 'monitor'],
    done: (after) => memberOf(after, full, 'u05')?.['type'] === 'monitor',
  },
  {
    leaf: 'members block',
    argv: ({ room, member }) => [
      'members',
      'block',
      room(full),
      member(full, 'u05'),
      member(full, 'u06'),
      yes,
    ],
    done: (after) => ['u05', 'u06'].every((user) => memberOf(after, full, user)?.['is_blocked'] === true),
  },
  {
    leaf: 'members block',
    argv: () => ['members', 'block', '--user', 'u00', '--all-rooms', yes],
    done: (after) => [full, second].every((room) => memberOf(after, room, 'u00')?.['is_blocked'] === true),
  },
  {
    leaf: 'members block',
    argv: ({ room }) => ['members', 'block', room(full), '--where', 'is_blocked=false', yes],
    done: (after) => userIds.every((user) => memberOf(after, full, user)?.['is_blocked'] === true),
  },
  {
    leaf: 'members unblock',
    argv: ({ room, member }) => ['members', 'unblock', room(full), member(full, blocked), yes],
    done: (after) => memberOf(after, full, blocked)?.['is_blocked'] === false,
  },
  {
    leaf: 'members unblock',
    argv: ({ room }) => ['members', 'unblock', room(full), '--where', 'status=blocked', yes],
    done: (after) => memberOf(after, full, blocked)?.['is_blocked'] === false,
  },
  {
    leaf: 'members import',
    argv: ({ room }) => [
      'members',
      'import',
      '-',
      '--input-format',
      'csv',
      '--no-journal',
      '--room',
      room(second),
    ],
    stdin: 'user_id,type\nu03,guest\nu04,host\n',
    done: (after) =>
      memberOf(after, second, 'u03')?.['type'] === 'guest' &&
      memberOf(after, second, 'u04')?.['type'] === 'host',
  },
  {
    leaf: 'members import',
    argv: ({ room }) => [
      ...['members', 'import', '-', '--input-format', 'csv', '--no-journal', '--if-exists', 'update'],
      ...['--room', room(full)],
    ],
    stdin: 'user_id,type\nu03,host\nu04,monitor\n',
    done: (after) =>
      memberOf(after, full, 'u03')?.['type'] === 'host' &&
      memberOf(after, full, 'u04')?.['type'] === 'monitor',
  },
  {
    leaf: 'members export',
    argv: () => ['members', 'export', '--all-rooms'],
    rows: ({ members }) => members.map(({ user_id }) => String(user_id)),
    printed: column('user_id'),
  },
  {
    leaf: 'members links',
    argv: ({ room }) => ['members', 'links', room(second), ...csv('user_id')],
    rows: () => ['u00', 'u01'],
  },
  {
    leaf: 'rooms link',
    argv: () => ['rooms', 'link', '--where', 'type=private', '--as', 'u00', ...csv('room_name')],
    rows: () => [full, second],
  },
  {
    leaf: 'users list',
    argv: () => ['users', 'list', '--all', ...csv('user_id')],
    rows: () => userIds,
  },
  { leaf: 'users list', argv: () => ['users', 'list', '--count'], rows: () => [String(userIds.length)] },
  { leaf: 'users get', argv: () => ['users', 'get', 'u05', ...csv('user_id')], rows: () => ['u05'] },
  { leaf: 'users export', argv: () => ['users', 'export'], rows: () => userIds, printed: column('user_id') },
  {
    leaf: 'users rooms',
    argv: () => ['users', 'rooms', 'u00', ...csv('room_id')],
    rows: (_, { room }) => [full, second, open].map(room),
  },
  {
    leaf: 'users hand-over',
    argv: () => ['users', 'hand-over', 'u00', 'u05', yes],
    done: (after) => [full, second, open].every((room) => memberOf(after, room, 'u05') !== undefined),
  },
  {
    // The state of the suite has no duplicates.
    leaf: 'users duplicates',
    argv: () => ['users', 'duplicates', ...csv('user_id')],
    rows: () => [],
  },
  {
    leaf: 'users create',
    argv: () => ['users', 'create', 'new', '--name', 'New'],
    done: (after) => userOf(after, 'new')?.['name'] === 'New',
  },
  {
    leaf: 'users create',
    argv: () => ['users', 'create', 'u05', '--if-not-exists'],
    done: (after) => userOf(after, 'u05') !== undefined,
  },
  {
    leaf: 'users update',
    argv: () => ['users', 'update', 'u05', '--name', 'New'],
    done: (after) => userOf(after, 'u05')?.['name'] === 'New',
  },
  {
    leaf: 'users delete',
    argv: () => ['users', 'delete', 'u05', 'u06', yes],
    done: (after) => !userOf(after, 'u05') && !userOf(after, 'u06'),
  },
  {
    leaf: 'users delete',
    argv: () => ['users', 'delete', 'u05', '--ignore-not-found', yes],
    done: (after) => !userOf(after, 'u05'),
  },
  {
    leaf: 'users delete',
    argv: () => ['users', 'delete', '--where', 'user_id~^u0[1-9]', yes],
    done: (after) => after.users.length === 3,
  },
  {
    leaf: 'users offboard',
    argv: () => ['users', 'offboard', 'u00', yes],
    done: (after) =>
      !userOf(after, 'u00') &&
      [full, second].every((room) => memberOf(after, room, 'u00')?.['is_blocked'] !== false),
  },
  {
    leaf: 'users import',
    argv: () => ['users', 'import', '-', '--input-format', 'csv', '--no-journal'],
    stdin: roster,
    done: (after) =>
      userOf(after, 'new1')?.['name'] === 'New One' && userOf(after, 'new2')?.['name'] === 'New Two',
  },
  {
    leaf: 'sessions list',
    argv: ({ room }) => ['sessions', 'list', room(full), '--all', ...csv('user_id')],
    rows: () => userIds,
  },
  {
    leaf: 'sessions list',
    argv: ({ room }) => ['sessions', 'list', room(full), '--count'],
    rows: () => [String(userIds.length)],
  },
  {
    leaf: 'sessions report',
    argv: ({ room }) => ['sessions', 'report', room(full), '-o', 'csv'],
    rows: () => userIds,
    printed: column('user_id'),
  },
  {
    leaf: 'sessions report',
    argv: () => ['sessions', 'report', '--all-rooms', '-o', 'csv'],
    rows: () => userIds,
    printed: column('user_id'),
  },
  {
    leaf: 'usage',
    argv: () => ['usage', '--month', '2026-01', '--by', 'room', ...csv('participants')],
    rows: () => [String(userIds.length)],
  },
  {
    // The state of the suite has no pages.
    leaf: 'pages list',
    argv: ({ room }) => ['pages', 'list', room(full), '--all', ...csv('id')],
    rows: () => [],
  },
  {
    leaf: 'pages create',
    argv: ({ room }) => ['pages', 'create', room(full), '--image', 'https://i.test/a.png'],
    done: (_, __, { executed }) => executed.some((line) => line.endsWith('/pages/create_many')),
  },
  {
    leaf: 'message send',
    argv: ({ room }) => ['message', 'send', room(full), 'hello'],
    done: (_, __, { executed }) => executed.some((line) => line.endsWith('/message')),
  },
  {
    leaf: 'message send',
    argv: () => ['message', 'send', '--where', 'type=private', '--text', 'hello', yes],
    done: (_, __, { executed }) => executed.filter((line) => line.endsWith('/message')).length === 2,
  },
  {
    leaf: 'pages create',
    argv: () => ['pages', 'create', '--where', 'type=private', '--image', 'https://i.test/a.png', yes],
    done: (_, __, { executed }) =>
      executed.filter((line) => line.endsWith('/pages/create_many')).length === 2,
  },
  {
    leaf: 'workspace export',
    argv: () => ['workspace', 'export', '-o', 'json'],
    rows: () => [...userIds, ...roomNames].sort(),
    printed: ({ stdout }) => {
      // Nothing is exported from an incomplete list.
      if (stdout === '') return []
      const { users, rooms } = JSON.parse(stdout) as { users: Thing[]; rooms: Thing[] }
      return [...users.map(({ user_id }) => String(user_id)), ...rooms.map(({ name }) => String(name))].sort()
    },
  },
  {
    leaf: 'workspace diff',
    argv: (school) => [
      'workspace',
      'diff',
      withFile(school, 'rooms: []\nusers: [{ user_id: u05 }]\n'),
      '-o',
      'ids',
    ],
    rows: () => [...userIds.filter((id) => id !== 'u05'), ...roomNames],
    printed: (run) => lines(run).map((id) => (/^u\d\d$/.test(id) ? id : '')),
  },
  {
    leaf: 'workspace adopt',
    argv: (school) => ['workspace', 'adopt', withFile(school, twoRooms), ...csv('name')],
    rows: () => [full, 'New'],
  },
  {
    leaf: 'workspace apply',
    argv: (school) => ['workspace', 'apply', withFile(school, 'users: [{ user_id: new, name: New }]\n'), yes],
    done: (after) => userOf(after, 'new')?.['name'] === 'New' && after.users.length === userIds.length + 1,
  },
  {
    leaf: 'workspace apply',
    argv: (school) => ['workspace', 'apply', withFile(school, newRoom), yes],
    done: (after) => named(after, 'New').length === 1 && memberOf(after, 'New', 'u05')?.['type'] === 'host',
  },
  {
    leaf: 'webhooks deliveries',
    argv: () => ['webhooks', 'deliveries', '--all', ...csv('attempts')],
    rows: ({ deliveries }) => deliveries.map(({ attempts }) => String(attempts)),
  },
  {
    leaf: 'webhooks deliveries',
    argv: () => ['webhooks', 'deliveries', '--state', 'given_up', ...csv('attempts')],
    rows: () => ['99'],
  },
  {
    leaf: 'webhooks redeliver',
    argv: ({ delivery }) => ['webhooks', 'redeliver', delivery],
    done: ({ deliveries }) => deliveries.find(({ id }) => id === givenUp)?.['redeliveries'] === 1,
  },
  {
    leaf: 'webhooks redeliver',
    argv: () => ['webhooks', 'redeliver', '--since', '1d', yes],
    done: ({ deliveries }) => deliveries.every(({ redeliveries }) => redeliveries === 1),
  },
  {
    leaf: 'api',
    argv: ({ room }) => ['api', 'DELETE', `/rooms/${room(open)}`, yes],
    done: (after) => !names(after).includes(open),
  },
  {
    leaf: 'api',
    argv: () => ['api', 'POST', '/users', '--data', '{"user_id":"new"}'],
    done: (after) => userOf(after, 'new') !== undefined,
  },
]

/** Commands without a scenario, and why. */
export const without: Readonly<Record<string, string>> = {
  __complete: 'suggests words; its exit code is not read',
  'sessions watch': 'runs until it is stopped; its view claims nothing with an exit code',
  'rooms open': 'opens the link that rooms link prints',
  join: 'runs until it is stopped',
  serve: 'is a service itself',
  'local backup': 'contacts no service',
  'local restore': 'contacts no service',
  'local reset': 'contacts no service',
  'local tidy': 'contacts no service',
  'local clock': 'contacts only a service for tests',
  'local fail': 'contacts only a service for tests',
  'local seed': 'contacts only a service for tests',
  'webhooks listen': 'is a server',
  'webhooks verify': 'contacts no service',
  'webhooks trigger': 'contacts no service',
  openapi: 'contacts no service',
  commands: 'contacts no service',
  schema: 'contacts no service',
  'auth login': 'checks a key and stores it; says nothing about what a service holds',
  'auth logout': 'contacts no service',
  'auth status': 'checks a key; says nothing about what a service holds',
  doctor: 'checks the way to a service; says nothing about what it holds',
  'profiles list': 'contacts no service',
  'profiles use': 'contacts no service',
  'profiles protect': 'contacts no service',
  'profiles unprotect': 'contacts no service',
  'profiles remove': 'contacts no service',
  'config list': 'contacts no service',
  'config get': 'contacts no service',
  'config set': 'contacts no service',
  'config unset': 'contacts no service',
  'config path': 'contacts no service',
  'cache warm': 'contacts a service of its own only',
  completion: 'contacts no service',
  version: 'contacts no service',
  help: 'contacts no service',
}
