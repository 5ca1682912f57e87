import { endpoints } from '../../../api/endpoints.ts'
import { parseJson } from '../../../api/json.ts'
import type { BodyOf } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import { segmentProblem } from '../../../api/path.ts'
import { user } from '../../../api/resources.ts'
import { textOf } from '../../../api/text-of.ts'
import type { Client } from '../../../client/client.ts'
import { UsageError } from '../../../errors.ts'
import { isBlocked } from '../../lists/blocking.ts'
import { undefinedIfNotFound } from '../../lists/run-one.ts'
import { views } from '../../output/views/views.ts'
import { type ImportAdapter, itemOf } from '../adapter/adapter.ts'
import { importColumns } from '../adapter/columns.ts'
import type { ImportFlags } from '../read/import-flags.ts'
import { inviteWith, type RoomInvitations, readInvitations } from './invitations.ts'
import { createMembers } from './members.ts'

type Row = BodyOf<Operations['createUser']> & { memberships?: readonly Membership[] }
type Membership = RoomInvitations & { room_id: string }

export function createUsers({ ifExists }: Pick<ImportFlags, 'ifExists'>): ImportAdapter<Row> {
  const base = importColumns(user, views.user, endpoints.createUser)
  const members = createMembers()
  const invite = inviteWith(members)
  let roomless = 0
  async function join(client: Client, user_id: string, memberships: readonly Membership[]): Promise<void> {
    for (const { room_id, ...membership } of memberships) {
      const row = { ...membership, room_id, user_id }
      const looked = members.find(client, row).then(() => true)
      if (await undefinedIfNotFound(looked)) await invite(client, room_id, [{ ...membership, user_id }])
      else roomless++
    }
  }
  const users: ImportAdapter<Row> = {
    ...base,
    columns: { ...base.columns, memberships: parseJson },
    beside: ['memberships'],
    name: 'users',
    view: views.user,
    creates: 'createUser',
    normal: (body) =>
      body['memberships'] === undefined ? body : { ...body, memberships: membershipsOf(body['memberships']) },
    key: ({ user_id }) => user_id,
    keyName: 'user_id',
    // Create User overwrites an existing user (API specification, “Endpoints”).
    overrides: true,
    repeats: false,
    createsMissing: true,
    destructive: {
      verb: () => 'block memberships of',
      doing: () => 'blocking memberships of',
      asks: ({ memberships = [] }) => memberships.some(isBlocked),
      isDone: () => false,
    },
    find: (client, { user_id }) => itemOf(client.call('getUser', { params: { user_id } }), 'user'),
    async create(client, row) {
      await client.call('createUser', { body: userOf(row) })
      return row.user_id
    },
    finish: (client, { user_id, memberships = [] }) =>
      memberships.length === 0 ? undefined : join(client, user_id, memberships),
    async overwrite(client, body) {
      const id = await users.create(client, body)
      await users.finish?.(client, body, id)
      return id
    },
    async update(client, { user_id, memberships: _, ...body }) {
      if (Object.keys(body).length > 0) await client.call('updateUser', { params: { user_id }, body })
      return user_id
    },
    kept: ({ memberships = [] }) => (ifExists === 'update' && memberships.length > 0 ? ['memberships'] : []),
    trace: async (client, body) => (await users.find(client, body)) ?? 'absent',
    notices: () =>
      roomless === 0
        ? []
        : [
            `warning: ${roomless} ${roomless === 1 ? 'membership is' : 'memberships are'} left out: no such room`,
          ],
  }
  return users
}

function userOf(row: Row): BodyOf<Operations['createUser']> {
  if (row.memberships === undefined) return row
  const { memberships: _, ...body } = row
  return body
}

/** @throws {UsageError} for a malformed list of memberships */
function membershipsOf(given: unknown): unknown[] {
  if (!Array.isArray(given)) throw new UsageError('memberships: expected a list')
  return given.map((one, i) => {
    const room_id = textOf(Object(one)['room_id'])
    const problem = segmentProblem('room_id', room_id)
    if (problem) throw new UsageError(`memberships[${i}]: ${problem}`)
    const { room_name: _, ...membership } = readInvitations(one) as Record<string, unknown>
    return { ...membership, room_id }
  })
}
