import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { full, givenUp, open, type School, second, userIds } from '../school.ts'
import {
  access,
  changed,
  fresh,
  image,
  membersOf,
  ndjson,
  roomGet,
  roomsNamed,
  roomsOf,
  roomsWhere,
  rows,
  user,
  userOne,
  usersOf,
  type WriteScenario,
  yes,
} from './scenario.ts'

function withFile({ world }: School, text: string): string {
  writeFileSync(join(world.dir, 'school.yaml'), text)
  return 'school.yaml'
}
const quoted = JSON.stringify
const newRoom = `rooms: [{ key: new, name: ${quoted(fresh)}, type: private, members: [{ user_id: u05, type: host }] }]\n`
const knownRoom = (name: string, type: string) =>
  `rooms: [{ key: full, name: ${quoted(name)}, type: private, members: [{ user_id: u05, type: ${type} }] }]\n`
const change = (kind: string, key: string) => (row: Record<string, unknown>) =>
  row['kind'] === kind && row['key'] === key

export const others: readonly WriteScenario[] = [
  {
    leaf: 'pages create',
    argv: ({ room }) => ['pages', 'create', room(full), ...image, ...image],
    targets: (to) => [to.pages(full, 2)],
  },
  {
    leaf: 'pages create',
    argv: () => ['pages', 'create', '--where', 'type=private', ...image, ...image, yes, ...ndjson],
    targets: (to) => [full, second].map((name) => to.pages(name, 2)),
    ...rows,
    needs: [roomsWhere('type=private'), roomsOf],
    again: 'hint',
  },
  {
    leaf: 'message send',
    argv: ({ room }) => ['message', 'send', room(full), 'hello'],
    targets: (to) => [to.message(full)],
  },
  {
    leaf: 'message send',
    argv: () => ['message', 'send', '--where', 'type=private', '--text', 'hello', yes, ...ndjson],
    targets: (to) => [full, second].map((name) => to.message(name)),
    ...rows,
    needs: [roomsWhere('type=private'), roomsOf],
    again: 'hint',
  },
  {
    leaf: 'workspace apply',
    argv: (school) => [
      ...[
        'workspace',
        'apply',
        withFile(school, `users: [{ user_id: ${userOne}, name: ${quoted(fresh)} }]\n`),
      ],
      ...[yes, ...ndjson],
    ],
    targets: (to) => [{ ...to.newUser({ user_id: userOne, name: fresh }), isIn: change('user', userOne) }],
    ...rows,
    needs: [usersOf, user(userOne)],
    again: 'same',
  },
  {
    leaf: 'workspace apply',
    argv: (school) => ['workspace', 'apply', withFile(school, newRoom), yes, ...ndjson],
    targets: (to) => {
      const room = to.newRoom({ name: fresh, type: 'private' }, 'new')
      return [room, to.newMemberOf(room, { user_id: 'u05', type: 'host' }, 'u05')]
    },
    ...rows,
    needs: [roomsOf, roomsNamed(fresh), access],
    again: 'same',
  },
  {
    leaf: 'workspace apply',
    prepare: (school) =>
      school.prepare(['workspace', 'adopt', withFile(school, knownRoom(full, 'guest')), '-q']),
    argv: (school) => [
      ...['workspace', 'apply'],
      withFile(school, `${knownRoom(changed, 'host')}users: [{ user_id: u06, name: ${quoted(fresh)} }]\n`),
      ...[yes, ...ndjson],
    ],
    targets: (to) => [
      { ...to.room('change', full, { name: changed }), isIn: change('room', 'full') },
      { ...to.member('change', full, 'u05', { type: 'host' }), isIn: change('member', 'u05') },
      { ...to.user('change', 'u06', { name: fresh }), isIn: change('user', 'u06') },
    ],
    ...rows,
    needs: [roomsOf, usersOf, membersOf(full), roomGet(full), user('u06')],
    again: 'same',
  },
  {
    leaf: 'webhooks redeliver',
    argv: ({ delivery }) => ['webhooks', 'redeliver', delivery],
    targets: (to) => [to.redelivery(givenUp)],
    needs: [() => ['webhooks', 'deliveries']],
  },
  {
    leaf: 'webhooks redeliver',
    argv: () => ['webhooks', 'redeliver', '--since', '1d', yes, ...ndjson],
    targets: (to) =>
      [givenUp, ...userIds.map((_, i) => `msg_${String(i).padStart(2, '0')}`)].map(to.redelivery),
    report: 'items',
    needs: [() => ['webhooks', 'deliveries', '--all']],
  },
  {
    leaf: 'api',
    argv: ({ room }) => ['api', 'DELETE', `/rooms/${room(open)}`, yes],
    targets: (to) => [to.room('delete', open)],
    isRaw: true,
  },
  {
    leaf: 'api',
    argv: () => ['api', 'POST', '/users', '--data', JSON.stringify({ user_id: userOne, name: fresh })],
    targets: (to) => [to.newUser({ user_id: userOne, name: fresh })],
    isRaw: true,
  },
  {
    leaf: 'api',
    argv: ({ room }) => ['api', 'PUT', `/rooms/${room(open)}`, '--data', JSON.stringify({ name: changed })],
    targets: (to) => [to.room('change', open, { name: changed })],
    isRaw: true,
  },
]
