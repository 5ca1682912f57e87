import { ended, full, open, roomNames, second } from '../school.ts'
import {
  changed,
  fresh,
  importing,
  inRows,
  ndjson,
  one,
  roomGet,
  roomsNamed,
  roomsOf,
  roomsWhere,
  rows,
  two,
  type WriteScenario,
  yes,
} from './scenario.ts'

export const rooms: readonly WriteScenario[] = [
  {
    leaf: 'rooms create',
    argv: () => ['rooms', 'create', '--name', fresh, '--type', 'open'],
    targets: (to) => [to.newRoom({ name: fresh, type: 'open' })],
  },
  {
    leaf: 'rooms create',
    argv: () => [
      ...['rooms', 'create', '--name', fresh, '--type', 'private', '--record', '--max-meeting-seconds', '90'],
      ...['--member', 'u05:host', '--member', 'u06:guest'],
    ],
    targets: (to) => [
      to.newRoom({
        name: fresh,
        type: 'private',
        record: true,
        max_meeting_seconds: 90,
        members: ['u05:host', 'u06:guest'],
      }),
    ],
  },
  {
    leaf: 'rooms create',
    argv: () => ['rooms', 'create', '--name', 'Room 05', '--type', 'open', '--if-not-exists'],
    targets: (to) => [to.room('keep', 'Room 05')],
    findsBy: 'name',
    needs: [roomsNamed('Room 05'), roomsWhere('type=open')],
  },
  {
    leaf: 'rooms create',
    argv: () => ['rooms', 'create', '--name', fresh, '--type', 'open', '--if-not-exists'],
    targets: (to) => [to.newRoom({ name: fresh, type: 'open' })],
    needs: [roomsNamed(fresh)],
  },
  {
    leaf: 'rooms update',
    argv: ({ room }) => ['rooms', 'update', room(open), '--name', changed],
    targets: (to) => [to.room('change', open, { name: changed })],
  },
  {
    leaf: 'rooms update',
    argv: ({ room }) => ['rooms', 'update', room(open), '--name', changed, '--terminated', yes],
    targets: (to) => [to.room('change', open, { name: changed, is_terminated: true })],
  },
  {
    leaf: 'rooms update',
    argv: () => ['rooms', 'update', '--where', 'type=private', '--layout', 'grid', yes, ...ndjson],
    targets: (to) => [full, second].map((name) => to.room('change', name, { layout: 'grid' })),
    report: 'items',
    isSeen: true,
    needs: [roomsWhere('type=private'), roomsOf],
    again: 'same',
  },
  {
    leaf: 'rooms terminate',
    argv: ({ room }) => ['rooms', 'terminate', room(open), yes],
    targets: (to) => [to.room('change', open, { is_terminated: true })],
  },
  {
    leaf: 'rooms terminate',
    argv: ({ room }) => ['rooms', 'terminate', room(full), room(open), yes, ...ndjson],
    targets: (to) => [full, open].map((name) => to.room('change', name, { is_terminated: true })),
    report: 'items',
    again: 'same',
  },
  {
    leaf: 'rooms terminate',
    argv: () => [
      ...['rooms', 'terminate', '--where', 'type=open', '--where', 'status=active', yes],
      ...ndjson,
    ],
    targets: (to) =>
      roomNames
        .filter((name) => ![full, second, ended].includes(name))
        .map((name) => to.room('change', name, { is_terminated: true })),
    report: 'items',
    isSeen: true,
    needs: [
      roomsWhere('type=open'),
      roomsOf,
      () => ['rooms', 'list', '--where', 'status=active', '--where', 'type=open'],
    ],
    again: 'same',
  },
  {
    leaf: 'rooms reopen',
    argv: ({ room }) => ['rooms', 'reopen', room(ended), yes],
    targets: (to) => [to.room('change', ended, { is_terminated: false })],
  },
  {
    leaf: 'rooms reopen',
    argv: ({ room }) => ['rooms', 'reopen', room(ended), room(open), yes, ...ndjson],
    targets: (to) => [ended, open].map((name) => to.room('change', name, { is_terminated: false })),
    report: 'items',
    again: 'same',
  },
  {
    leaf: 'rooms delete',
    argv: ({ room }) => ['rooms', 'delete', room(open), yes],
    targets: (to) => [to.room('delete', open)],
  },
  {
    leaf: 'rooms delete',
    argv: ({ room }) => ['rooms', 'delete', room(full), room(open), yes, ...ndjson],
    targets: (to) => [full, open].map((name) => to.room('delete', name)),
    report: 'items',
  },
  {
    leaf: 'rooms delete',
    argv: ({ room }) => ['rooms', 'delete', room(open), '--ignore-not-found', yes],
    targets: (to) => [to.room('delete', open)],
    ignoresMissing: true,
  },
  {
    leaf: 'rooms delete',
    argv: () => ['rooms', 'delete', '--where', 'type=open', yes, '--max', '50', ...ndjson],
    targets: (to) => roomNames.slice(2).map((name) => to.room('delete', name)),
    report: 'items',
    isSeen: true,
    needs: [roomsWhere('type=open'), roomsOf],
    again: 'same',
  },
  {
    leaf: 'rooms import',
    argv: () => importing('rooms'),
    file: `name,type\n${one},open\n${two},private\n`,
    targets: (to) =>
      inRows([to.newRoom({ name: one, type: 'open' }), to.newRoom({ name: two, type: 'private' })]),
    report: 'rows',
    again: 'resume',
  },
  {
    leaf: 'rooms import',
    argv: () => importing('rooms'),
    file: `name,type,members\n${one},private,u05:host|u06:guest\n${two},open,\n`,
    targets: (to) =>
      inRows([
        to.newRoom({ name: one, type: 'private', members: ['u05:host', 'u06:guest'] }),
        to.newRoom({ name: two, type: 'open' }),
      ]),
    report: 'rows',
    again: 'resume',
  },
  {
    leaf: 'rooms import',
    argv: () => importing('rooms', '--match', 'name', '--if-exists', 'update'),
    file: `name,type,layout\n${one},open,grid\nRoom 05,open,grid\n`,
    targets: (to) =>
      inRows([
        to.newRoom({ name: one, type: 'open', layout: 'grid' }),
        to.room('change', 'Room 05', { layout: 'grid' }),
      ]),
    ...rows,
    needs: [roomsNamed(one), roomsNamed('Room 05'), roomGet('Room 05')],
    again: 'resume',
  },
]
