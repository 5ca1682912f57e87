import { endpoints } from '../../../api/endpoints.ts'
import { quoteValue } from '../../../api/issue.ts'
import { parseJson } from '../../../api/json.ts'
import type { BodyOf } from '../../../api/operation-types.ts'
import type { Operations } from '../../../api/operations.ts'
import { findSegmentProblem } from '../../../api/path.ts'
import { counted } from '../../../api/plural.ts'
import { user } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import type { Client } from '../../../client/client.ts'
import { UsageError } from '../../../errors.ts'
import { views } from '../../output/views/views.ts'
import { isBlocked } from '../../records/blocking.ts'
import { undefinedIfNotFound } from '../../records/look-up.ts'
import { createRecord, findRecord, updateRecord } from '../../records/records.ts'
import { deriveColumns, type ImportAdapter } from '../adapter/adapter.ts'
import type { ImportFlags } from '../read/import-flags.ts'
import { createInviter, type RoomInvitation, readInvitation } from './invitations.ts'

type Row = BodyOf<Operations['createUser']> & { memberships?: readonly Membership[] }
type Membership = RoomInvitation & { room_id: string }

export function createUsers({ ifExists }: Pick<ImportFlags, 'ifExists'>): ImportAdapter<Row> {
  const base = deriveColumns(user, views.user, endpoints.createUser)
  const { members, invite } = createInviter()
  let skippedMemberships = 0
  async function join(client: Client, user_id: string, memberships: readonly Membership[]): Promise<void> {
    for (const { room_id, ...membership } of memberships) {
      const row = { ...membership, room_id, user_id }
      const lookup = members.find(client, row).then(() => true)
      if (await undefinedIfNotFound(lookup)) await invite(client, room_id, [{ ...membership, user_id }])
      else skippedMemberships++
    }
  }
  const users: ImportAdapter<Row> = {
    ...base,
    columns: { ...base.columns, memberships: parseMemberships },
    extraColumns: ['memberships'],
    name: 'users',
    view: views.user,
    createOperation: 'createUser',
    normalize: (body) =>
      body['memberships'] === undefined
        ? body
        : { ...body, memberships: readMemberships(body['memberships']) },
    keyOf: ({ user_id }) => user_id,
    keyName: 'user_id',
    // Create User overwrites an existing user (API specification, “Endpoints”, rule 3).
    createOverwrites: true,
    createDuplicates: false,
    canCreateMissing: true,
    destructive: {
      verb: () => 'block memberships of',
      gerund: () => 'blocking memberships of',
      isRequested: ({ memberships = [] }) => memberships.some(isBlocked),
      isDone: () => false,
    },
    find: (client, { user_id }) => findRecord(client, { kind: 'user', id: user_id }),
    async create(client, { memberships: _, ...body }) {
      await createRecord(client, 'user', body)
      return body.user_id
    },
    completeCreated: (client, { user_id, memberships = [] }) =>
      memberships.length === 0 ? undefined : join(client, user_id, memberships),
    async overwrite(client, body) {
      const id = await users.create(client, body)
      await users.completeCreated?.(client, body, id)
      return id
    },
    async update(client, { user_id, memberships: _, ...body }) {
      await updateRecord(client, { kind: 'user', id: user_id }, body)
      return user_id
    },
    listIgnoredFields: ({ memberships = [] }) =>
      ifExists === 'update' && memberships.length > 0 ? ['memberships'] : [],
    findLostItem: async (client, body) => (await users.find(client, body)) ?? 'absent',
    listNotices: () =>
      skippedMemberships === 0
        ? []
        : [
            `warning: ${counted(skippedMemberships, 'membership is', 'memberships are')} omitted: no such room`,
          ],
  }
  return users
}

function createNoListError(given: unknown): UsageError {
  return new UsageError(`memberships must be a list, not ${quoteValue(given)}`)
}

/**
 * @throws {UsageError} if the text is neither JSON nor looks like a list or an object
 * @throws {SyntaxError} for an invalid list or object
 */
function parseMemberships(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw /^\s*[[{]/.test(text) ? error : createNoListError(text)
  }
}

function readMemberships(given: unknown): unknown[] {
  if (!Array.isArray(given)) throw createNoListError(given)
  return given.map((entry, i) => {
    const room_id = toText(Object(entry)['room_id'])
    const problem = findSegmentProblem('room_id', room_id)
    if (problem) throw new UsageError(`memberships[${i}]: ${problem}`)
    const { room_name: _, ...membership } = readInvitation(entry) as Record<string, unknown>
    return { ...membership, room_id }
  })
}
