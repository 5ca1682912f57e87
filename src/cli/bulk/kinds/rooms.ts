import { body } from '../../../api/body.ts'
import { endpoints } from '../../../api/endpoints.ts'
import type { BodyOf } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import { writtenBy } from '../../../api/resource.ts'
import { room } from '../../../api/resources.ts'
import { ApiError } from '../../../errors.ts'
import { views } from '../../output/views.ts'
import { importColumns } from './columns.ts'
import { type Body, holds, idIn, itemOf, type Kind } from './kind.ts'

/** What an export says of a room: its id, and the time at which it was terminated, as its copy is to be. */
type Row = BodyOf<Operations['createRoom']> &
  BodyOf<Operations['updateRoom']> & { id?: unknown; terminated_at?: unknown }

/** Fields that creating sets for good, and that answers show. */
const setOnce = writtenBy('create', room.fields)
  .filter(([, { write, answer }]) => write === 'create' && answer !== 'never')
  .map(([field]) => field)

export const rooms: Kind<Row> = {
  ...importColumns(room, views.room, endpoints.createRoom, ['id', 'terminated_at']),
  name: 'rooms',
  view: views.room,
  creates: 'createRoom',
  keyName: 'id',
  key: ({ id }) => (id === undefined ? undefined : String(id)),
  overrides: false,
  find: async (client, { id }) =>
    id === undefined ? undefined : itemOf(client.call('getRoom', { params: { id: String(id) } }), 'room'),
  create: (client, { id: _, is_terminated, terminated_at, ...settings }) =>
    idIn(client.call('createRoom', { body: settings }), 'room'),
  async finish(client, { is_terminated, terminated_at }, id) {
    if (is_terminated ?? terminated_at)
      await client.call('updateRoom', { params: { id }, body: { is_terminated: true } })
  },
  async overwrite(client, row, existing) {
    const id = String(existing['id'])
    const values: Body = row
    const fixed = setOnce.find(
      (field) => values[field] !== undefined && !holds(existing, { [field]: values[field] }),
    )
    if (fixed) throw new ApiError(`its ${fixed} is ${existing[fixed]}, and cannot be changed`)
    const { name, layout, terminated_at } = row
    const is_terminated = row.is_terminated ?? (terminated_at === undefined ? undefined : true)
    await client.call('updateRoom', {
      params: { id },
      body: body<'updateRoom'>({ name, layout, is_terminated }),
    })
    return id
  },
  // The service gives rooms their ids: of one that was lost on the way there is nothing but its name.
  async trace(client, { name }) {
    const { value } = await client.call('listRooms', { query: { name } })
    return value.rooms.length === 0 ? 'absent' : undefined
  },
}
