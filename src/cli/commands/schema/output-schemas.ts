import * as z from 'zod'
import type { Operation } from '../../../api/operation-types.ts'
import { operations } from '../../../api/operations.ts'
import { createItemSchema } from '../../../api/schemas.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { errorSchema } from '../../output/schemas/errors.ts'
import { commandSchemas, counts, exportedKind, manyRoomsSchemas } from '../../output/schemas/printed.ts'
import { listOf } from '../../output/schemas/row-schema.ts'
import { rowKinds } from '../../output/views/rows.ts'
import { selectView } from '../../output/views/views.ts'
import { documentSchema, exportSchema } from '../../workspace/schema/schema.ts'
import { listCommands } from './commands.ts'

export function listOutputSchemas(root: MeetroomCommand): Map<string, () => object> {
  const all = listCommands(root, []).flatMap(({ words, command }) => {
    const name = words.join(' ')
    const schema = createCommandSchema(name, command)
    return schema ? [[name, () => toJsonSchema(`meetroom ${name} --json`, schema)] as const] : []
  })
  return new Map(all)
}

export function createErrorSchema(): object {
  return toJsonSchema('an error on standard error, in JSON modes', errorSchema)
}

export const createWorkspaceFileSchema = (): object => toJsonSchema('a workspace file', documentSchema)

function createCommandSchema(name: string, command: MeetroomCommand): z.ZodType | undefined {
  const own = name === 'workspace export' ? exportSchema : commandSchemas[name]
  const isCounted = command.options.some(({ long }) => long === '--count-by')
  if (own) return isCounted ? z.union([own, ...counts]) : own
  const kind = exportedKind.get(name)
  if (kind) return z.looseObject({ [kind.plural]: z.array(createItemSchema(kind.fields)) })
  const { targetsOperation } = command
  const hasSteps = command.options.some(({ long }) => long === '--all-rooms')
  if (targetsOperation)
    return createTargetsSchema(operations[targetsOperation], hasSteps ? [listOf(rowKinds.steps)] : [])
  // An operation ID is the command name, with a dot instead of the space.
  const operation = Object.values<Operation>(operations).find(({ id }) => id.replace('.', ' ') === name)
  if (!operation) return undefined
  const { method, many, response } = operation
  const manyRooms = manyRoomsSchemas[name]
  if (method === 'GET')
    return many ? z.union([response, ...(manyRooms ? [manyRooms] : []), ...counts]) : response
  if (manyRooms) return z.union([response, manyRooms])
  return method === 'POST' ? response : createTargetsSchema(operation)
}

function createTargetsSchema(operation: Operation, more: readonly z.ZodType[] = []): z.ZodType {
  const { response, result } = operation
  const item = response.shape[result] as z.ZodType
  const [, plural] = selectView(operation).noun
  return z.union([response, z.object({ [plural]: z.array(item) }), ...more])
}

function toJsonSchema(title: string, schema: z.ZodType): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return { $schema, title, ...rest }
}
