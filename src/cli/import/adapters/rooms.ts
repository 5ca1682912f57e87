import { omitUndefined } from '../../../api/defined.ts'
import { formatChoices } from '../../../api/either.ts'
import { endpoints } from '../../../api/endpoints.ts'
import type { BodyOf } from '../../../api/operation-types.ts'
import type { Operations } from '../../../api/operations.ts'
import { parseBoolean, parseTimestamp } from '../../../api/readings.ts'
import { type Fields, listWritableFields } from '../../../api/resource-types.ts'
import { room } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import { roomTypes } from '../../../api/vocabulary.ts'
import type { Client } from '../../../client/client.ts'
import { ApiError } from '../../../errors.ts'
import { readTotal } from '../../lists/paging/list-total.ts'
import { describeNamesakes, findRoomsByName } from '../../names/item-finder.ts'
import { cellOf, type Item, views } from '../../output/views/views.ts'
import { hasNoBlock, isBlocked, withoutBlock } from '../../records/blocking.ts'
import { createRecord, findRecord, updateRecord } from '../../records/records.ts'
import { hasValues } from '../../records/shown-values.ts'
import { deriveColumns, type ImportAdapter, type RequestBody } from '../adapter/adapter.ts'
import type { ImportFlags } from '../read/import-flags.ts'
import { createInviter, type RoomInvitation, readInvitation } from './invitations.ts'

type Row = Omit<BodyOf<Operations['createRoom']>, 'members'> &
  BodyOf<Operations['updateRoom']> & {
    id?: unknown
    terminated_at?: unknown
    members?: readonly RoomInvitation[]
  }

type RoomFlags = Pick<ImportFlags, 'match' | 'groupBy' | 'createMissing' | 'unblock' | 'type'>

const fields: Fields = room.fields
const createOnlyFields = listWritableFields('create', fields)
  .filter(([, { write }]) => write === 'create')
  .map(([field]) => field)
const readableCreateOnlyFields = createOnlyFields.filter((field) => fields[field]?.presence !== 'never')
const nonUpdatableFields = new Set(['id', 'terminated_at', ...createOnlyFields])

/** An export may show a termination only in `terminated_at`. */
function isTerminated({ is_terminated, terminated_at }: Row): boolean {
  return parseBoolean(is_terminated) ?? typeof parseTimestamp(terminated_at) === 'number'
}

const blockedMembers = ({ members = [] }: Row) => members.filter((member) => isBlocked(member))

/** Rows identify rooms by ID, or by name with `--match` or `--group-by`. */
export function createRooms(flags: RoomFlags): ImportAdapter<Row> {
  const match = flags.match ?? flags.groupBy

  const creationDefaults = omitUndefined({ type: flags.type })
  const { invite, countBlocked } = createInviter(flags)
  const rooms: ImportAdapter<Row> = {
    ...deriveColumns(room, views.room, endpoints.createRoom, ['id', 'terminated_at']),
    name: 'rooms',
    view: views.room,
    createOperation: 'createRoom',
    creationDefaults,
    defaultFlags: { type: `--type (${formatChoices(roomTypes)})` },
    keyName: match ?? 'id',
    normalize: (body) =>
      Array.isArray(body['members']) ? { ...body, members: body['members'].map(readInvitation) } : body,
    keyOf: ({ id, name }) => (match ? name : id === undefined ? undefined : String(id)),
    labelOf: ({ id, name }) => (id === undefined ? match && name : String(id)),
    createOverwrites: false,
    createDuplicates: match === undefined,
    canCreateMissing: match !== undefined || flags.createMissing === true,
    destructive: {
      verb: (row) => (isTerminated(row) ? 'terminate' : 'block members of'),
      gerund: (row) => (isTerminated(row) ? 'terminating' : 'blocking members of'),
      isRequested: (row) => isTerminated(row) || blockedMembers(row).length > 0,
      isDone: (existing, row) =>
        cellOf(views.room, 'status', existing) === 'terminated' && blockedMembers(row).length === 0,
    },
    countBlocked: (client, { members = [] }, existing) =>
      members.length === 0 || hasNoBlock(existing['type'])
        ? 0
        : // Ignores errors, because only a notice depends on the count.
          countBlocked(client, String(existing['id']), members).catch(() => 0),
    listReferencedUsers: ({ members = [] }) => members.map(({ user_id }) => user_id),
    async find(client, { id, name }) {
      if (match) return findRoomByName(client, name)
      return id === undefined ? undefined : findRecord(client, { kind: 'room', id: String(id) })
    },
    create: (client, { id: _, is_terminated, terminated_at, members, ...settings }) =>
      createRecord(client, 'room', {
        ...creationDefaults,
        ...settings,
        ...omitUndefined({ members: members?.map(withoutBlock) }),
      }).then(({ id }) => toText(id)),
    async completeCreated(client, row, id) {
      await invite(client, id, blockedMembers(row))
      if (isTerminated(row)) await updateRecord(client, { kind: 'room', id }, { is_terminated: true })
    },
    explainUnchangeable(values: RequestBody, existing) {
      const field = readableCreateOnlyFields.find(
        (field) => values[field] !== undefined && !hasValues(existing, { [field]: values[field] }),
      )
      return field && `its ${field} is ${existing[field]} and cannot be changed`
    },
    listIgnoredFields: (row, existing) =>
      createOnlyFields.filter(
        (field) => field !== 'members' && Object.hasOwn(row, field) && !Object.hasOwn(existing, field),
      ),
    async overwrite(client, row, existing) {
      const id = String(existing['id'])
      const isSent = (field: string) =>
        // Omits an unchanged matched name, because some services alter names and could rename the room.
        !nonUpdatableFields.has(field) && (field !== match || row[field] !== existing[field])
      const body = Object.fromEntries(Object.entries(row).filter(([field]) => isSent(field)))
      if (isTerminated(row)) body['is_terminated'] = true
      await updateRecord(client, { kind: 'room', id }, body)
      await invite(client, id, row.members ?? [])
      return id
    },
    createdFields: ({ id: _, is_terminated: __, terminated_at: ___, members: ____, ...settings }) => ({
      ...creationDefaults,
      ...settings,
    }),
    // The service assigns IDs, so after a lost response only the name identifies the room.
    async findLostItem(client, row, createdId) {
      if (createdId !== undefined) {
        const found = await findRecord(client, { kind: 'room', id: createdId })
        if (!found) return 'absent'
        const { judgeRead } = await import('../../../client/verdict.ts')
        const { name, type = flags.type } = row
        return judgeRead(endpoints.createRoom, { body: { name, type } }, found, null).is === 'done'
          ? found
          : undefined
      }
      if (match) return (await rooms.find(client, row)) ?? 'absent'
      const { value } = await client.call('listRooms', { query: { name: row.name } })
      return value.rooms.length === 0 && (readTotal(value) ?? 0) === 0 ? 'absent' : undefined
    },
  }
  return rooms
}

async function findRoomByName(client: Client, name: string): Promise<Item | undefined> {
  const found = await findRoomsByName(client, name)
  if (found.length > 1) throw new ApiError(describeNamesakes(found, name))
  const [room] = found
  // The API specification guarantees only `id`, `type` and `name` in lists (“Room”).
  return room && findRecord(client, { kind: 'room', id: String(room['id']) })
}
