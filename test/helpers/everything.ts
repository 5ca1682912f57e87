import type { OperationName } from '../../src/api/endpoints.ts'

/** Command line of each operation with every field; `{room}`, `{member}` and `{delivery}` stand for IDs. */
export const everything: Record<OperationName, string[]> = {
  listRooms: 'rooms list --limit 1 --offset 0 --name n --layout l --active'.split(' '),
  createRoom: [
    ...'rooms create --name n --type open --record --max-meeting-seconds 9 --member ada:host:Ada'.split(' '),
    ...['--webhook-url', 'https://h.test', '--webhook-header', 'A: b', '--set', 'layout=l'],
  ],
  getRoom: ['rooms', 'get', '{room}'],
  updateRoom: 'rooms update {room} --name n --terminated --yes --set layout=l'.split(' '),
  deleteRoom: 'rooms delete {room} --yes'.split(' '),
  listSessions: 'sessions list {room} --limit 1 --offset 0 --user ada --online'.split(' '),
  listPages: 'pages list {room} --limit 1 --offset 0'.split(' '),
  createPages: 'pages create {room} --image https://i.test/a.png --fixed --size 3x4 --index 2'.split(' '),
  listMembers: 'members list {room} --limit 1 --offset 0'.split(' '),
  addMember: 'members add {room} grace --type host'.split(' '),
  getMember: 'members get {room} {member}'.split(' '),
  updateMember: 'members update {room} {member} --name n --type host --unblocked'.split(' '),
  sendMessage: 'message send {room} hello'.split(' '),
  listUsers: 'users list --limit 1 --offset 0 --email a'.split(' '),
  createUser: [
    ...'users create alan --name n --profile-url https://p.test/a.png --default-member-type host'.split(' '),
    ...['--email', 'alan@example.com'],
  ],
  getUser: ['users', 'get', 'ada'],
  updateUser: [
    ...'users update ada --name n --profile-url https://p.test/a.png --default-member-type host'.split(' '),
    ...['--email', 'ada@example.com'],
  ],
  deleteUser: 'users delete grace --yes'.split(' '),
  listDeliveries: 'webhooks deliveries {room} --limit 1 --offset 0 --state waiting --since 1h'.split(' '),
  redeliver: 'webhooks redeliver {delivery}'.split(' '),
}
