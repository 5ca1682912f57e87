import * as z from 'zod'
import {
  dataFields,
  type FieldsOf,
  type RowField,
  type RowFields,
  type RowKind,
} from '../views/define-row.ts'

const scalars: Readonly<Record<string, z.ZodType>> = {
  id: z.union([z.string(), z.number()]),
  any: z.unknown(),
  text: z.string(),
  time: z.string(),
  integer: z.int(),
  number: z.number(),
  boolean: z.boolean(),
}

export function listOf<Rest extends z.ZodRawShape = Record<never, never>>(
  given: RowKind | readonly RowKind[],
  rest?: Rest,
) {
  const kinds = [given].flat()
  const [first = z.never(), ...others] = kinds.map(createKindSchema)
  const rows = z.array(others.length > 0 ? z.union([first, ...others]) : first)
  return z.object({ ...Object.fromEntries(kinds.map(({ key }) => [key, rows])), ...rest } as Rest)
}

function createKindSchema({ shape, description }: RowKind): z.ZodType {
  const schema = createRowSchema(shape)
  return description === undefined ? schema : schema.describe(description)
}

export function createRowSchema<F extends RowFields>(fields: F): z.ZodType<FieldsOf<F>> {
  return z.object(createShape(fields)) as unknown as z.ZodType<FieldsOf<F>>
}

type ShapeOf<F extends RowFields> = { [K in keyof FieldsOf<F>]: z.ZodType<FieldsOf<F>[K]> }

export function createShape<F extends RowFields>(fields: F): ShapeOf<F> {
  const shape = Object.entries(dataFields(fields)).map(([name, [type, , description]]) => {
    const schema = createTypeSchema(type)
    return [name, description === undefined ? schema : schema.describe(description)]
  })
  return Object.fromEntries(shape)
}

function createTypeSchema(type: RowField[0]): z.ZodType {
  if (typeof type === 'string') {
    const [, name = '', list, nullable, optional] = /^(\w+)(\[\])?( \| null)?(\?)?$/.exec(type) ?? []
    const scalar = scalars[name] ?? z.never()
    const present = list ? z.array(scalar) : nullable ? scalar.nullable() : scalar
    return optional ? present.optional() : present
  }
  if ('list' in type) return z.array(createRowSchema(type.list))
  if (typeof type === 'function') return z.never()
  const choices = type.filter((choice) => choice !== null)
  const schema = choices.length > 1 ? z.enum(choices) : z.literal(choices[0])
  return choices.length < type.length ? schema.nullable() : schema
}
