import * as z from 'zod'
import { isScalar } from './json.ts'
import { type Field, type Fields, type FieldType, type WriteKind, writableFields } from './resource.ts'
import { textOf } from './text-of.ts'
import { deprecated } from './vocabulary.ts'

export function bodySchema(write: WriteKind, fields: Fields): z.ZodObject {
  return z.looseObject(
    mapFields(writableFields(write, fields), ({ type, words, required, range }) => {
      const schema =
        required && write === 'create' ? requestField(type, range) : requestField(type, range).optional()
      return schema.describe(words)
    }),
  )
}

/** Creates the schema of an item in a response (API specification, section 2). Additional fields pass. */
export function itemSchema(fields: Fields): z.ZodObject {
  const requestField = Object.entries(fields).filter(([, { answer }]) => answer !== 'never')
  return z.looseObject(
    mapFields(requestField, ({ type, words, answer }) => {
      if (answer === 'deprecated') return deprecatedField
      const schema = answer === 'always' ? responseField(type) : responseField(type).nullish()
      return schema.describe(answer === 'unlisted' ? `${words} (${unlistedNotice})` : words)
    }),
  )
}

const unlistedNotice = 'not listed in the API specification: may be missing, and may change without notice'

const deprecatedField = z
  .unknown()
  .optional()
  .meta({ type: 'string', const: deprecated, deprecated: true, description: `carries ${deprecated}` })

/** Creates the schema of a list's query, which converts text to the specified types. */
export function querySchema(fields: Fields): z.ZodObject {
  const filters = Object.entries(fields).filter(([, { query }]) => query)
  return z.object(
    mapFields(filters, ({ type, words, query, range }) =>
      queryField(type, range)
        .optional()
        .describe(typeof query === 'string' ? query : words),
    ),
  )
}

function mapFields(fields: [string, Field][], schemaOf: (field: Field) => z.ZodType): z.ZodRawShape {
  return Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)]))
}

function requestField(type: FieldType, range?: Range): z.ZodType {
  if (typeof type === 'object') {
    if ('list' in type) return z.array(bodySchema('create', type.list))
    return 'object' in type ? bodySchema('create', type.object) : z.enum(type)
  }
  switch (type) {
    case 'id':
    case 'name':
      return z.string().min(1)
    case 'integer':
      return wholeNumber(range)
    case 'seconds':
      return wholeNumber([1])
    case 'number':
      return z.number({ error: ({ input }) => (isInexact(input) ? tooManyDigits(input) : undefined) })
    default:
      return responseField(type)
  }
}

type Range = NonNullable<Field['range']>

function wholeNumber(range: Range = [Number.MIN_SAFE_INTEGER]): z.ZodType<number, number> {
  const [least, greatest = Number.MAX_SAFE_INTEGER] = range
  const error = ({ code, input }: { code?: string; input?: unknown }) =>
    code === 'too_big' || code === 'too_small' || (isInexact(input) && !textOf(input).includes('.'))
      ? outOfRange(range, input)
      : undefined
  return z.int({ error, abort: true }).min(least, { error }).max(greatest, { error })
}

function outOfRange([least, greatest]: Range, input: unknown): string {
  const value = textOf(input)
  if (greatest !== undefined) return `must be between ${least} and ${greatest}, not ${value}`
  return Number(value) < least
    ? `must be at least ${least}, not ${value}`
    : `must be at most ${Number.MAX_SAFE_INTEGER}, not ${value}`
}

function isInexact(input: unknown): boolean {
  return typeof input === 'object' && input !== null && isScalar(input)
}

const tooManyDigits = (input: unknown) => `must be a number that a double holds exactly, not ${textOf(input)}`

function responseField(type: FieldType): z.ZodType {
  if (typeof type === 'object') {
    if ('list' in type) return z.array(itemSchema(type.list))
    return 'object' in type ? itemSchema(type.object) : openChoice(type)
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

/** Accepts new choices of a service. */
function openChoice(choices: readonly string[]): z.ZodType {
  return z.union([z.enum(choices), z.string()], {
    error: ({ input }) => `expected string, received ${input === null ? 'null' : typeof input}`,
  })
}

function integerText(range: Range = [Number.MIN_SAFE_INTEGER]): z.ZodType {
  const [least, greatest = Number.MAX_SAFE_INTEGER] = range
  const digits = z
    .string()
    .regex(/^-?\d+$/, { error: 'expected an integer', abort: true })
    // The message shows the original digits, because a number may round them.
    .refine((text) => Number(text) >= least && Number(text) <= greatest, {
      error: ({ input }) => outOfRange(range, input),
    })
  return z.codec(digits, wholeNumber(range), { decode: Number, encode: String })
}

const booleanText = z.codec(z.enum(['true', 'false']), z.boolean(), {
  decode: (text) => text === 'true',
  encode: (value) => (value ? 'true' : 'false'),
})

function queryField(type: FieldType, range?: Range): z.ZodType {
  if (type === 'boolean') return booleanText
  return type === 'integer' ? integerText(range) : z.string()
}
