import * as z from 'zod'
import { omitUndefined } from './defined.ts'
import type { OperationName } from './endpoints.ts'
import type { Operation } from './operation-types.ts'
import { operations } from './operations.ts'
import { WebhookEvent } from './webhooks.ts'

export function openApiDocument(all: Readonly<Record<OperationName, Operation>> = operations): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, operation] of Object.entries(all)) {
    if (operation.unlisted) continue
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(name, operation),
    }
  }
  return {
    openapi: '3.1.0',
    // Version of the interface description (API specification, “Versioning”).
    info: { title: 'Meeting Room Service API', version: '1.0.0' },
    servers: [{ url: '{base_url}', variables: { base_url: { default: 'http://127.0.0.1:4680/v1' } } }],
    security: [{ apiKey: [] }],
    paths,
    webhooks: {
      session: {
        post: {
          operationId: 'notifyOfSession',
          summary: 'A participant joined or left a room with a webhook',
          security: [],
          requestBody: content(WebhookEvent),
          responses: { 200: { description: 'Received' } },
        },
      },
    },
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  }
}

function describe(operationId: string, operation: Operation): object {
  const { params, query, body } = operation
  const parameters = [...fields(params, 'path'), ...fields(query, 'query')]
  return {
    operationId,
    summary: operation.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...content(body) } }),
    responses: {
      200: { description: 'Success', ...content(operation.response) },
      400: { description: 'Invalid parameters supplied, or unauthenticated, or unauthorized.' },
      500: { description: 'Validation exception.' },
    },
  }
}

function fields(schema: z.ZodObject | undefined, place: 'path' | 'query'): object[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = toSchema(field as z.ZodType, 'output')
    return { name, in: place, required: place === 'path', ...omitUndefined({ description }), schema: rest }
  })
}

function content(schema: z.ZodType): object {
  return { content: { 'application/json': { schema: toSchema(schema, 'input') } } }
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): { description?: string } {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
