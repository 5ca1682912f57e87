import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../helpers/world.ts'
import type { Thing } from './fake.ts'
import { blocked, ended, full, open, roomNames, type School, type State, second, userIds } from './school.ts'

/** Command line that reads, and the rows that it may print. */
export interface ReadScenario {
  /** Command without arguments, such as `rooms list`. */
  readonly leaf: string
  readonly argv: (school: School) => readonly string[]
  /** True if exit code 0 is wrong even with the embedded service. */
  readonly isNeverDone?: boolean
  /** Returns all rows that the command may print. A value that the service hides may be empty. */
  readonly rows?: (before: State, school: School) => readonly string[]
  /** True if a subset of the rows is correct, because the command does not require all rows. */
  readonly isPart?: boolean
  /** Extracts the printed rows, if rows are not lines. */
  readonly printed?: (run: Run) => readonly string[]
}

const lines = ({ stdout }: Run) => stdout.split(/\r?\n/).slice(0, -1)
/** Returns the values of a CSV column. Values must not contain quotes or commas. */
const column = (name: string) => (run: Run) => {
  const [header = '', ...rows] = lines(run)
  const at = header.split(',').indexOf(name)
  return rows.map((row) => row.split(',')[at] ?? '')
}
const names = ({ rooms }: State) => rooms.map(({ name }) => String(name))
const csv = (field: string) => ['-o', 'csv', '--columns', field, '--no-header']
const twoRooms = `rooms: [{ key: full, name: ${full}, type: private }, { key: new, name: New, type: open }]\n`

function withFile({ world }: School, text: string): string {
  writeFileSync(join(world.dir, 'school.yaml'), text)
  return 'school.yaml'
}

export const reads: readonly ReadScenario[] = [
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
    argv: () => ['rooms', 'list', '--active', '--all', ...csv('name')],
    rows: () => roomNames.filter((name) => name !== ended),
  },
  {
    leaf: 'rooms list',
    argv: () => ['rooms', 'list', '--name', second, ...csv('name')],
    rows: () => [second],
  },
  {
    leaf: 'rooms list',
    argv: () => ['rooms', 'list', '--all', '--allow-incomplete', ...csv('name')],
    rows: names,
    isPart: true,
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
    isNeverDone: true,
  },
  {
    leaf: 'rooms wait',
    argv: ({ room }) => ['rooms', 'wait', room(ended), '--for', 'status=terminated', '--timeout', '2s'],
  },
  { leaf: 'rooms export', argv: () => ['rooms', 'export'], rows: names, printed: column('name') },
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
    // The state of the suite has no duplicates.
    leaf: 'users duplicates',
    argv: () => ['users', 'duplicates', ...csv('user_id')],
    rows: () => [],
  },
  {
    leaf: 'sessions list',
    argv: ({ room }) => ['sessions', 'list', room(full), '--all', ...csv('user_id')],
    rows: () => userIds,
  },
  {
    leaf: 'sessions list',
    argv: ({ room }) => ['sessions', 'list', room(full), '--user', 'u05', '--all', ...csv('user_id')],
    rows: () => ['u05'],
  },
  {
    leaf: 'sessions list',
    argv: ({ room }) => ['sessions', 'list', room(full), '--count'],
    rows: () => [String(userIds.length)],
  },
  {
    leaf: 'sessions list',
    argv: () => ['sessions', 'list', '--all-rooms', ...csv('user_id')],
    rows: () => userIds,
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
    leaf: 'webhooks deliveries',
    argv: () => ['webhooks', 'deliveries', '--all', ...csv('attempts')],
    rows: ({ deliveries }) => deliveries.map(({ attempts }) => String(attempts)),
  },
  {
    leaf: 'webhooks deliveries',
    argv: () => ['webhooks', 'deliveries', '--state', 'given_up', ...csv('attempts')],
    rows: () => ['99'],
  },
]
