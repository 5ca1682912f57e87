import * as z from 'zod'
import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'
import type { Operation, ParamName } from './operation.ts'
import type { Resource } from './resource.ts'
import { member, paging, type ResourceName, resources, room, user } from './resources.ts'
import { bodySchema, itemSchema, querySchema } from './schemas.ts'

/** The operations as types know them: what goes in and comes out follows from their endpoints. */
export type Operations = typeof endpoints

/** What the parameters of paths mean: a bare `{id}` is that of a room. */
const params: Readonly<Record<ParamName, string>> = {
  id: room.words.id,
  room_id: room.words.id,
  member_id: member.words.id,
  user_id: user.words.user_id,
}

/** Adds the input and output schemas of an operation. */
function withSchemas(endpoint: Endpoint, { fields }: Resource): Operation {
  const { method, path, many, bare, result, paged } = endpoint
  const inPath = Object.entries(params).filter(([name]) => path.includes(`{${name}}`))
  const item = itemSchema(fields)
  const body = bodySchema(method === 'POST' ? 'create' : 'update', fields)
  return {
    ...endpoint,
    ...(inPath.length > 0 && {
      params: z.object(
        Object.fromEntries(inPath.map(([name, words]) => [name, z.string().min(1).describe(words)])),
      ),
    }),
    ...(method === 'GET' && many && { query: querySchema(paged ? { ...paging, ...fields } : fields) }),
    ...((method === 'POST' || method === 'PUT') && { body: many ? z.array(body) : body }),
    response: bare
      ? item
      : z.looseObject({
          [result]: many ? z.array(item) : item,
          ...(endpoint.paging && { paging: itemSchema(paging).nullish() }),
        }),
  }
}

/** The 17 operations with their schemas, in the order of section 4. */
export function operationsOf(
  table: Readonly<Record<ResourceName, Resource>>,
): Readonly<Record<OperationName, Operation>> {
  const all = Object.entries(endpoints).map(([name, endpoint]) => [
    name,
    withSchemas(endpoint, table[endpoint.resource]),
  ])
  return Object.fromEntries(all)
}

export const operations = operationsOf(resources)
