import * as z from 'zod'
import { isScalar } from './json.ts'
import {
  type Field,
  type Fields,
  type FieldType,
  listWritableFields,
  type WriteKind,
} from './resource-types.ts'
import { toText } from './to-text.ts'
import { deprecated } from './vocabulary.ts'

export function createBodySchema(write: WriteKind, fields: Fields): z.ZodObject {
  const shape = mapFields(listWritableFields(write, fields), ({ type, description, required, range }) => {
    const schema = createRequestField(type, range)
    return (required && write === 'create' ? schema : schema.optional()).describe(description)
  })
  // `LosslessNumber` is an object, and zod copies objects before this check.
  return z.looseObject(shape).refine((value) => value['isLosslessNumber'] !== true, {
    error: ({ input }) => `must be an object, not ${toText(Object(input).value)}`,
  })
}

/** Creates a schema that allows additional fields (API specification, “What the service does”). */
export function createItemSchema(fields: Fields): z.ZodObject {
  const sent = Object.entries(fields).filter(([, { presence }]) => presence !== 'never')
  return z.looseObject(
    mapFields(sent, ({ type, description, presence }) => {
      if (presence === 'deprecated') return deprecatedField
      const schema = createResponseField(type)
      const text = presence === 'unlisted' ? `${description} (${unlistedNotice})` : description
      return (presence === 'always' ? schema : schema.nullish()).describe(text)
    }),
  )
}

const unlistedNotice = 'not a listed field of the API: may be missing, and may change without notice'

const deprecatedField = z
  .unknown()
  .optional()
  .meta({ type: 'string', const: deprecated, deprecated: true, description: `contains ${deprecated}` })

/** Creates a schema that converts text to booleans and integers. */
export function createQuerySchema(fields: Fields): z.ZodObject {
  const filters = Object.entries(fields).filter(([, { query }]) => query)
  return z.object(
    mapFields(filters, ({ type, description, query, range }) =>
      createQueryField(type, range)
        .optional()
        .describe(typeof query === 'string' ? query : description),
    ),
  )
}

function mapFields(fields: [string, Field][], schemaOf: (field: Field) => z.ZodType): z.ZodRawShape {
  return Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)]))
}

function createRequestField(type: FieldType, range?: Range): z.ZodType {
  if (typeof type === 'object') {
    if ('list' in type) return z.array(createBodySchema('create', type.list))
    return 'object' in type ? createBodySchema('create', type.object) : z.enum(type)
  }
  if (type === 'id' || type === 'name') return z.string().min(1)
  if (type === 'integer') return createWholeNumber(range)
  if (type === 'seconds') return createWholeNumber([1])
  if (type === 'number')
    return z.number({ error: ({ input }) => (isInexact(input) ? tooManyDigits(input) : undefined) })
  return createResponseField(type)
}

type Range = NonNullable<Field['range']>

function createWholeNumber(range: Range = [Number.MIN_SAFE_INTEGER]): z.ZodType<number, number> {
  const [least, greatest = Number.MAX_SAFE_INTEGER] = range
  const error = ({ code, input }: { code?: string; input?: unknown }) =>
    code === 'too_big' || code === 'too_small' || (isInexact(input) && !toText(input).includes('.'))
      ? outOfRange(range, input)
      : undefined
  return z.int({ error, abort: true }).min(least, { error }).max(greatest, { error })
}

function outOfRange([least, greatest]: Range, input: unknown): string {
  const value = toText(input)
  if (greatest !== undefined) return `must be between ${least} and ${greatest}, not ${value}`
  return Number(value) < least
    ? `must be at least ${least}, not ${value}`
    : `must be at most ${Number.MAX_SAFE_INTEGER}, not ${value}`
}

const isInexact = (input: unknown) => typeof input === 'object' && input !== null && isScalar(input)

const tooManyDigits = (input: unknown) => `must be a number that a double holds exactly, not ${toText(input)}`

function createResponseField(type: FieldType): z.ZodType {
  if (typeof type === 'object') {
    if ('list' in type) return z.array(createItemSchema(type.list))
    return 'object' in type ? createItemSchema(type.object) : openChoice(type)
  }
  if (type === 'boolean') return z.boolean()
  if (type === 'headers') return z.record(z.string(), z.string())
  return type === 'number' || type === 'integer' || type === 'seconds' ? z.number() : z.string()
}

/** Creates a schema for choices that also accepts other strings, because services may add choices. */
function openChoice(choices: readonly string[]): z.ZodType {
  return z.union([z.enum(choices), z.string()], {
    error: ({ input }) => (input === undefined ? undefined : `must be a string, not ${toText(input)}`),
  })
}

function integerText(range: Range = [Number.MIN_SAFE_INTEGER]): z.ZodType {
  const [least, greatest = Number.MAX_SAFE_INTEGER] = range
  const digits = z
    .string()
    .regex(/^-?\d+$/, { error: ({ input }) => `must be a whole number, not “${toText(input)}”`, abort: true })
    // Checks the range before the conversion, so that the message shows the original digits.
    .refine((text) => Number(text) >= least && Number(text) <= greatest, {
      error: ({ input }) => outOfRange(range, input),
    })
  return z.codec(digits, createWholeNumber(range), { decode: Number, encode: String })
}

const booleanText = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: (text) => text === 'true',
  encode: (value) => (value ? 'true' : 'false'),
})

function createQueryField(type: FieldType, range?: Range): z.ZodType {
  if (type === 'boolean') return booleanText
  return type === 'integer' ? integerText(range) : z.string()
}
