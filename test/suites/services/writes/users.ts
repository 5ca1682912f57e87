import { full, open, second, userIds } from '../school.ts'
import type { Target } from '../target.ts'
import {
  access,
  changed,
  fresh,
  importing,
  inRows,
  ndjson,
  one,
  roomsOf,
  roomsWhere,
  rows,
  type Targets,
  two,
  user,
  userOne,
  usersOf,
  userTwo,
  type WriteScenario,
  yes,
} from './scenario.ts'

export const users: readonly WriteScenario[] = [
  {
    leaf: 'users create',
    argv: () => ['users', 'create', userOne, '--name', fresh],
    targets: (to) => [to.newUser({ user_id: userOne, name: fresh })],
    needs: [user(userOne)],
  },
  {
    leaf: 'users create',
    argv: () => [
      ...['users', 'create', userOne, '--overwrite', '--name', fresh, '--email', 'New.One@X.test'],
      ...['--default-member-type', 'monitor', '--profile-url', 'https://i.test/1.png'],
    ],
    targets: (to) => [
      to.newUser({
        user_id: userOne,
        name: fresh,
        email: 'New.One@X.test',
        default_member_type: 'monitor',
        profile_url: 'https://i.test/1.png',
      }),
    ],
  },
  {
    leaf: 'users create',
    argv: () => ['users', 'create', 'u05', '--if-not-exists'],
    targets: (to) => [to.user('keep', 'u05')],
    needs: [user('u05')],
  },
  {
    leaf: 'users update',
    argv: () => ['users', 'update', 'u05', '--name', changed],
    targets: (to) => [to.user('change', 'u05', { name: changed })],
  },
  {
    leaf: 'users update',
    argv: () => ['users', 'update', 'u05', '--name', changed, '--default-member-type', 'host'],
    targets: (to) => [to.user('change', 'u05', { name: changed, default_member_type: 'host' })],
  },
  {
    leaf: 'users delete',
    argv: () => ['users', 'delete', 'u05', yes],
    targets: (to) => [to.user('delete', 'u05')],
  },
  {
    leaf: 'users delete',
    argv: () => ['users', 'delete', 'u05', 'u06', yes, ...ndjson],
    targets: (to) => ['u05', 'u06'].map((id) => ({ ...to.user('delete', id), isIn: itemOf(id) })),
    report: 'items',
  },
  {
    leaf: 'users delete',
    argv: () => ['users', 'delete', 'u05', '--ignore-not-found', yes],
    targets: (to) => [to.user('delete', 'u05')],
    ignoresMissing: true,
  },
  {
    leaf: 'users delete',
    argv: () => ['users', 'delete', '--where', 'user_id~^u0[1-9]', yes, ...ndjson],
    targets: (to) => userIds.slice(1, 10).map((id) => ({ ...to.user('delete', id), isIn: itemOf(id) })),
    report: 'items',
    isSeen: true,
    needs: [usersOf],
    again: 'same',
  },
  {
    leaf: 'users hand-over',
    argv: () => ['users', 'hand-over', 'u00', 'u05', '--role', 'host', yes, ...ndjson],
    targets: (to) => [
      to.member('change', full, 'u05', { type: 'host' }),
      to.newMember(second, { user_id: 'u05', type: 'host' }),
      to.newMember(open, { user_id: 'u05', type: 'host' }),
    ],
    ...rows,
    needs: [user('u05'), roomsOf, access],
    again: 'same',
  },
  {
    leaf: 'users merge',
    argv: () => ['users', 'merge', 'u00', 'u05', '--role', 'host', '--no-save', yes, ...ndjson],
    targets: (to) => [
      to.member('change', full, 'u05', { type: 'host' }),
      to.newMember(second, { user_id: 'u05', type: 'host' }),
      to.newMember(open, { user_id: 'u05', type: 'host' }),
      ...offboarded(to, 'u00', [full, second]),
    ],
    ...rows,
    needs: [user('u00'), user('u05'), roomsOf, access],
    again: 'same',
  },
  {
    leaf: 'users offboard',
    argv: () => ['users', 'offboard', 'u00', yes, ...ndjson],
    targets: (to) => offboarded(to, 'u00', [full, second]),
    ...rows,
    needs: [user('u00'), roomsWhere('type=private'), access],
    again: 'same',
  },
  {
    leaf: 'users offboard',
    argv: () => ['users', 'offboard', 'u00', 'u05', yes, ...ndjson],
    targets: (to) => [...offboarded(to, 'u00', [full, second]), ...offboarded(to, 'u05', [full])],
    ...rows,
    needs: [user('u00'), user('u05'), roomsWhere('type=private'), access],
    again: 'same',
  },
  {
    leaf: 'users import',
    argv: () => importing('users'),
    file: `user_id,name,email\n${userOne},${one},New.One@X.test\n${userTwo},${two},\n`,
    targets: (to) =>
      inRows([
        to.newUser({ user_id: userOne, name: one, email: 'New.One@X.test' }),
        to.newUser({ user_id: userTwo, name: two }),
      ]),
    report: 'rows',
    needs: [user(userOne), user(userTwo)],
    again: 'resume',
  },
  {
    leaf: 'users import',
    argv: () => importing('users', '--if-exists', 'update'),
    file: `user_id,name\n${userOne},${one}\nu05,${two}\n`,
    targets: (to) =>
      inRows([to.newUser({ user_id: userOne, name: one }), to.user('change', 'u05', { name: two })]),
    ...rows,
    needs: [user(userOne), user('u05')],
    again: 'resume',
  },
  {
    leaf: 'users import',
    argv: () => importing('users', '--if-exists', 'overwrite'),
    file: `user_id,name\n${userOne},${one}\nu05,${two}\n`,
    targets: (to) =>
      inRows([to.newUser({ user_id: userOne, name: one }), to.newUser({ user_id: 'u05', name: two })]),
    report: 'rows',
    needs: [user(userOne), user('u05')],
    again: 'resume',
  },
]

function itemOf(id: string) {
  return (item: Record<string, unknown>) => item['user_id'] === id
}
function offboarded(to: Targets, id: string, places: readonly string[]): Target[] {
  return [
    ...places.map((place) => to.member('change', place, id, { is_blocked: true })),
    { ...to.user('delete', id), waitsFor: 'is_blocked' },
  ]
}
