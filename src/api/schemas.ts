import * as z from 'zod'
import { type Field, type Fields, type FieldType, type Write, writtenBy } from './resource.ts'
import { deprecated } from './vocabulary.ts'

/** What a request must say of a thing to create it, or may say to change it. Fields that no table lists pass. */
export function bodySchema(write: Write, fields: Fields): z.ZodObject {
  return z.looseObject(
    mapFields(writtenBy(write, fields), ({ type, words, required }) => {
      const schema = required && write === 'create' ? sent(type) : sent(type).optional()
      return schema.describe(words)
    }),
  )
}

/** One thing as the service tells of it (section 2). Fields that the document does not list may come and go. */
export function itemSchema(fields: Fields): z.ZodObject {
  const documented = Object.entries(fields).filter(
    ([, { answer }]) => answer !== 'unlisted' && answer !== 'never',
  )
  return z.looseObject(
    mapFields(documented, ({ type, words, answer }) => {
      // Nobody reads the value of a deprecated field.
      if (answer === 'deprecated') return z.unknown().optional().describe(`deprecated: carries ${deprecated}`)
      return (answer === 'always' ? received(type) : received(type).nullish()).describe(words)
    }),
  )
}

/** What a list can be asked for. Query strings carry text: it becomes the type that the document gives. */
export function querySchema(fields: Fields): z.ZodObject {
  const queried = Object.entries(fields).filter(([, { query }]) => query)
  return z.object(
    mapFields(queried, ({ type, words, query }) =>
      asked(type)
        .optional()
        .describe(typeof query === 'string' ? query : words),
    ),
  )
}

function mapFields(fields: [string, Field][], schemaOf: (field: Field) => z.ZodType): z.ZodRawShape {
  return Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)]))
}

function sent(type: FieldType): z.ZodType {
  if (typeof type === 'object') {
    if ('list' in type) return z.array(bodySchema('create', type.list))
    return 'object' in type ? bodySchema('create', type.object) : z.enum(type)
  }
  switch (type) {
    case 'id':
    case 'name':
      return z.string().min(1)
    case 'integer':
      return z.int()
    case 'seconds':
      return z.int().positive()
    default:
      return received(type)
  }
}

/** More lenient than request schemas: a service decides what it answers. */
function received(type: FieldType): z.ZodType {
  if (typeof type === 'object') {
    if ('list' in type) return z.array(itemSchema(type.list))
    return 'object' in type ? itemSchema(type.object) : open(type)
  }
  switch (type) {
    case 'boolean':
      return z.boolean()
    case 'number':
    case 'integer':
    case 'seconds':
      return z.number()
    case 'headers':
      return z.record(z.string(), z.string())
    default:
      return z.string()
  }
}

/** A service that grows a new choice must not make the whole answer unreadable. */
function open(choices: readonly string[]): z.ZodType {
  return z.union([z.enum(choices), z.string()], {
    error: ({ input }) => `expected string, received ${input === null ? 'null' : typeof input}`,
  })
}

// The codecs refuse `1e3` and `0x10`.
const integer = z.codec(z.string().regex(/^-?\d{1,15}$/, 'expected an integer'), z.int(), {
  decode: Number,
  encode: String,
})
const truth = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: (text) => text === 'true',
  encode: (value) => (value ? 'true' : 'false'),
})

function asked(type: FieldType): z.ZodType {
  if (type === 'boolean') return truth
  return type === 'integer' ? integer : z.string()
}
