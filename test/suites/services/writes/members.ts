import { blocked, full, second, userIds } from '../school.ts'
import {
  access,
  changed,
  importing,
  inRows,
  membersOf,
  ndjson,
  roomGet,
  roomsOf,
  roomsWhere,
  rows,
  user,
  type WriteScenario,
  yes,
} from './scenario.ts'

export const members: readonly WriteScenario[] = [
  {
    leaf: 'members add',
    argv: ({ room }) => ['members', 'add', room(second), 'u05', '--type', 'host'],
    targets: (to) => [to.newMember(second, { user_id: 'u05', type: 'host' })],
  },
  {
    leaf: 'members add',
    argv: ({ room }) => ['members', 'add', room(full), 'u05', '--if-not-exists'],
    targets: (to) => [to.member('keep', full, 'u05')],
    needs: [membersOf(full)],
  },
  {
    leaf: 'members add',
    argv: ({ room }) => ['members', 'add', room(second), 'u05', '--type', 'monitor', '--if-not-exists'],
    targets: (to) => [to.newMember(second, { user_id: 'u05', type: 'monitor' })],
    needs: [membersOf(second)],
  },
  {
    leaf: 'members add',
    argv: () => [
      'members',
      'add',
      '--where',
      'type=private',
      '--user',
      'u05',
      '--type',
      'host',
      yes,
      ...ndjson,
    ],
    targets: (to) => [to.newMember(second, { user_id: 'u05', type: 'host' }), to.member('keep', full, 'u05')],
    ...rows,
    needs: [user('u05'), roomsWhere('type=private'), roomsOf, membersOf(second), membersOf(full)],
    again: 'same',
  },
  {
    leaf: 'members update',
    argv: ({ room }) => ['members', 'update', room(full), '--user', 'u05', '--type', 'monitor'],
    targets: (to) => [to.member('change', full, 'u05', { type: 'monitor' })],
    isSeen: true,
    needs: [membersOf(full)],
  },
  {
    leaf: 'members update',
    argv: ({ room, member }) => [
      ...['members', 'update', room(full), member(full, 'u05'), '--type', 'host', '--name', changed],
    ],
    targets: (to) => [to.member('change', full, 'u05', { type: 'host', name: changed })],
  },
  {
    leaf: 'members block',
    argv: ({ room, member }) => ['members', 'block', room(full), member(full, 'u05'), yes],
    targets: (to) => [to.member('change', full, 'u05', { is_blocked: true })],
    needs: [roomGet(full)],
  },
  {
    leaf: 'members block',
    argv: ({ room, member }) => [
      ...['members', 'block', room(full), member(full, 'u05'), member(full, 'u06'), yes],
      ...ndjson,
    ],
    targets: (to) => ['u05', 'u06'].map((id) => to.member('change', full, id, { is_blocked: true })),
    report: 'items',
    needs: [roomGet(full)],
    again: 'same',
  },
  {
    leaf: 'members block',
    argv: () => ['members', 'block', '--user', 'u00', '--all-rooms', yes, ...ndjson],
    targets: (to) => [full, second].map((name) => to.member('change', name, 'u00', { is_blocked: true })),
    ...rows,
    needs: [roomsWhere('type=private'), access],
    again: 'same',
  },
  {
    leaf: 'members block',
    argv: ({ room }) => ['members', 'block', room(full), '--where', 'is_blocked=false', yes, ...ndjson],
    targets: (to) =>
      userIds.filter((id) => id !== blocked).map((id) => to.member('change', full, id, { is_blocked: true })),
    report: 'items',
    isSeen: true,
    needs: [roomGet(full), ({ room }) => ['members', 'list', room(full), '--where', 'is_blocked=false']],
    again: 'same',
  },
  {
    leaf: 'members unblock',
    argv: ({ room, member }) => ['members', 'unblock', room(full), member(full, blocked), yes],
    targets: (to) => [to.member('change', full, blocked, { is_blocked: false })],
  },
  {
    leaf: 'members unblock',
    argv: ({ room }) => ['members', 'unblock', room(full), '--where', 'status=blocked', yes, ...ndjson],
    targets: (to) => [to.member('change', full, blocked, { is_blocked: false })],
    report: 'items',
    isSeen: true,
    needs: [({ room }) => ['members', 'list', room(full), '--where', 'status=blocked']],
    again: 'same',
  },
  {
    leaf: 'members import',
    argv: ({ room }) => importing('members', '--room', room(second)),
    file: 'user_id,type\nu03,guest\nu04,host\n',
    targets: (to) =>
      inRows([
        to.newMember(second, { user_id: 'u03', type: 'guest' }),
        to.newMember(second, { user_id: 'u04', type: 'host' }),
      ]),
    report: 'rows',
    needs: [membersOf(second)],
    again: 'resume',
  },
  {
    leaf: 'members import',
    argv: ({ room }) => importing('members', '--if-exists', 'update', '--room', room(full)),
    file: 'user_id,type\nu03,host\nu04,monitor\n',
    targets: (to) =>
      inRows([
        to.member('change', full, 'u03', { type: 'host' }),
        to.member('change', full, 'u04', { type: 'monitor' }),
      ]),
    ...rows,
    needs: [membersOf(full)],
    again: 'resume',
  },
]
