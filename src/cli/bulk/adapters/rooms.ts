import { omitUndefined } from '../../../api/defined.ts'
import { endpoints } from '../../../api/endpoints.ts'
import type { BodyOf } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import { parseBoolean, parseTimestamp } from '../../../api/readings.ts'
import { writableFields } from '../../../api/resource.ts'
import { room } from '../../../api/resources.ts'
import type { Client } from '../../../client/client.ts'
import { ApiError } from '../../../errors.ts'
import { isBlocked, withoutBlock } from '../../lists/blocking.ts'
import { findRoomsByName } from '../../lists/find-room.ts'
import { totalOf } from '../../lists/paging/list-total.ts'
import { cellOf, type Item, views } from '../../output/views/views.ts'
import { type Body, hasValues, type ImportAdapter, idIn, itemOf } from '../adapter/adapter.ts'
import { importColumns } from '../adapter/columns.ts'
import type { ImportFlags } from '../read/import-flags.ts'
import { inviteWith, type RoomInvitations, readInvitations } from './invitations.ts'

type Row = Omit<BodyOf<Operations['createRoom']>, 'members'> &
  BodyOf<Operations['updateRoom']> & {
    id?: unknown
    terminated_at?: unknown
    members?: readonly RoomInvitations[]
  }

type RoomFlags = Pick<ImportFlags, 'match' | 'groupBy' | 'createMissing'>

/** Fields that can be set only at creation. */
const setOnce = writableFields('create', room.fields).filter(([, { write }]) => write === 'create')
const shownOnce = setOnce.filter(([, { answer }]) => answer !== 'never').map(([field]) => field)
const notUpdated = new Set(['id', 'terminated_at', ...setOnce.map(([field]) => field)])

/** Exports show only when a room was terminated. */
function isTerminated({ is_terminated, terminated_at }: Row): boolean {
  return parseBoolean(is_terminated) ?? typeof parseTimestamp(terminated_at) === 'number'
}

const blockedIn = ({ members = [] }: Row) => members.filter((member) => isBlocked(member))

/**
 * Creates the adapter for rooms. Since the service assigns IDs, rooms are identified by ID or, on request, by
 * name.
 */
export function createRooms(flags: RoomFlags): ImportAdapter<Row> {
  // The column that groups rows also identifies rooms.
  const match = flags.match ?? flags.groupBy

  const invite = inviteWith()
  const rooms: ImportAdapter<Row> = {
    ...importColumns(room, views.room, endpoints.createRoom, ['id', 'terminated_at']),
    name: 'rooms',
    view: views.room,
    creates: 'createRoom',
    keyName: match ?? 'id',
    normal: (body) =>
      Array.isArray(body['members']) ? { ...body, members: body['members'].map(readInvitations) } : body,
    key: ({ id, name }) => (match ? name : id === undefined ? undefined : String(id)),
    label: ({ id, name }) => (id === undefined ? match && name : String(id)),
    overrides: false,
    repeats: match === undefined,
    createsMissing: match !== undefined || flags.createMissing === true,
    destructive: {
      verb: (row) => (isTerminated(row) ? 'terminate' : 'block members of'),
      doing: (row) => (isTerminated(row) ? 'terminating' : 'blocking members of'),
      asks: (row) => isTerminated(row) || blockedIn(row).length > 0,
      isDone: (existing, row) =>
        cellOf(views.room, 'status', existing) === 'terminated' && blockedIn(row).length === 0,
    },
    usersOf: ({ members = [] }) => members.map(({ user_id }) => user_id),
    async find(client, { id, name }) {
      if (match) return named(client, name)
      return id === undefined
        ? undefined
        : itemOf(client.call('getRoom', { params: { id: String(id) } }), 'room')
    },
    create: (client, { id: _, is_terminated, terminated_at, members, ...settings }) =>
      idIn(
        client.call('createRoom', {
          body: { ...settings, ...omitUndefined({ members: members?.map(withoutBlock) }) },
        }),
        'room',
      ),
    async finish(client, row, id) {
      await invite(client, id, blockedIn(row))
      if (isTerminated(row))
        await client.call('updateRoom', { params: { id }, body: { is_terminated: true } })
    },
    unchangeable(row, existing) {
      const values: Body = row
      const fixed = shownOnce.find(
        (field) => values[field] !== undefined && !hasValues(existing, { [field]: values[field] }),
      )
      return fixed && `its ${fixed} is ${existing[fixed]}, which cannot be changed`
    },
    kept: (row, existing) =>
      setOnce
        .map(([field]) => field)
        .filter(
          (field) => field !== 'members' && Object.hasOwn(row, field) && !Object.hasOwn(existing, field),
        ),
    async overwrite(client, row, existing) {
      const id = String(existing['id'])
      const body = Object.fromEntries(Object.entries(row).filter(([field]) => !notUpdated.has(field)))
      if (isTerminated(row)) body['is_terminated'] = true
      if (Object.keys(body).length > 0) await client.call('updateRoom', { params: { id }, body })
      await invite(client, id, row.members ?? [])
      return id
    },
    // The service assigns IDs, so after a lost response only the name identifies the room.
    async trace(client, row) {
      if (match) return (await rooms.find(client, row)) ?? 'absent'
      const { value } = await client.call('listRooms', { query: { name: row.name } })
      return value.rooms.length === 0 && (totalOf(value) ?? 0) === 0 ? 'absent' : undefined
    },
  }
  return rooms
}

/**
 * Finds the room with a name.
 * @throws {ApiError} when several rooms have the name
 */
async function named(client: Client, name: string): Promise<Item | undefined> {
  const found = await findRoomsByName(client, name)
  if (found.length > 1) {
    const ids = found.slice(0, 5).map(({ id }) => String(id))
    const more = found.length > ids.length ? ' …' : ''
    throw new ApiError(`${found.length} rooms are named “${name}”: ${ids.join(', ')}${more}`)
  }
  const [room] = found
  // Lists guarantee only `id`, `type` and `name`.
  return room && itemOf(client.call('getRoom', { params: { id: String(room['id']) } }), 'room')
}
