import * as z from 'zod'
import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'
import type { BodyOf, Input, Operation, ParamName } from './operation-types.ts'
import type { Resource } from './resource-types.ts'
import { delivery, member, paging, type ResourceName, resources, room, user } from './resources.ts'
import { createBodySchema, createItemSchema, createQuerySchema } from './schemas.ts'

export type Operations = typeof endpoints

export type InputOf<N extends OperationName> = Input<Operations[N]>

export type RequestBody<N extends OperationName> = BodyOf<Operations[N]>

const params: Readonly<Record<ParamName, string>> = {
  id: room.descriptions.id,
  room_id: room.descriptions.id,
  member_id: member.descriptions.id,
  user_id: user.descriptions.user_id,
  delivery_id: delivery.descriptions.id,
}

function withSchemas(endpoint: Endpoint, { fields }: Resource): Operation {
  const { method, path, many, bare, result, paged } = endpoint
  const pathParams = Object.entries(params).filter(([name]) => path.includes(`{${name}}`))
  const item = createItemSchema(fields)
  const body = createBodySchema(method === 'POST' ? 'create' : 'update', fields)
  return {
    ...endpoint,
    ...(pathParams.length > 0 && {
      params: z.object(
        Object.fromEntries(pathParams.map(([name, words]) => [name, z.string().min(1).describe(words)])),
      ),
    }),
    ...(method === 'GET' && many && { query: createQuerySchema({ ...(paged && paging), ...fields }) }),
    ...((method === 'POST' || method === 'PUT') && { body: many ? z.array(body) : body }),
    response: bare
      ? item
      : z.looseObject({
          [result]: many ? z.array(item) : item,
          ...(endpoint.paging && { paging: createItemSchema(paging).nullish() }),
        }),
  }
}

export function createOperations(
  table: Readonly<Record<ResourceName, Resource>>,
): Readonly<Record<OperationName, Operation>> {
  const all = Object.entries(endpoints).map(([name, endpoint]) => [
    name,
    withSchemas(endpoint, table[endpoint.resource]),
  ])
  return Object.fromEntries(all)
}

export const operations = createOperations(resources)
