import * as z from 'zod'
import { user } from '../../../api/resources.ts'
import { createBodySchema } from '../../../api/schemas.ts'
import type { Kind } from '../../records/records.ts'
import { declarableFields, resources } from './fields.ts'

function createShape(kind: Kind): Record<string, z.ZodType> {
  const { fields } = resources[kind]
  const descriptions: Readonly<Record<string, string>> = resources[kind].descriptions
  const shapes = { ...createBodySchema('update', fields).shape, ...createBodySchema('create', fields).shape }
  const shapeOf = (name: string) =>
    (shapes[name] as z.ZodType).optional().describe(descriptions[name] ?? name)
  return Object.fromEntries(declarableFields(kind).map((name) => [name, shapeOf(name)]))
}

const user_id = z.string().min(1).describe(user.descriptions.user_id)
const isProtected = z
  .boolean()
  .optional()
  .describe('true: --prune never removes it, even after the entry is deleted from the file')

function createDocumentSchema(createObject: typeof z.strictObject | typeof z.looseObject) {
  const members = z
    .array(createObject({ user_id, ...createShape('member'), protected: isProtected }))
    .optional()
    .describe('omitted: members are not compared; []: no members')
  const rooms = createObject({
    key: z.string().min(1).describe('your stable name of the room; the ID belongs to the service'),
    ...createShape('room'),
    protected: isProtected,
    members,
  })
  return createObject({
    workspace: z.string().min(1).optional().describe('name of the profile that the file belongs to'),
    users: z
      .array(createObject({ user_id, ...createShape('user'), protected: isProtected }))
      .optional()
      .describe('omitted: users are not compared; []: no users'),
    rooms: z.array(rooms).optional().describe('omitted: rooms are not compared; []: no rooms'),
  })
}

/** Schema of a workspace file. Refuses unknown fields, which are usually typing errors. */
export const documentSchema = createDocumentSchema(z.strictObject)

/** Schema of an exported workspace. Allows unknown fields, because later versions may export more fields. */
export const exportSchema = createDocumentSchema(z.looseObject)
