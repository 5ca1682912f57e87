import { omitUndefined } from '../../../api/defined.ts'
import type { Column, Item, View } from './views.ts'

interface Scalars {
  any: unknown
  /** IDs and times may come from the service, with any type. */
  id: unknown
  time: unknown
  text: string
  integer: number
  number: number
  boolean: boolean
}

type Present = keyof Scalars | `${keyof Scalars} | null` | `${keyof Scalars}[]`

type FieldType =
  | Present
  | `${Present}?`
  | readonly (string | null)[]
  | { readonly list: RowFields }
  | ((row: Item) => unknown)

/** Field of a row. By default, tables show only fields with a weight above 0. */
export type RowField = readonly [type: FieldType, weight?: number, description?: string]

export type RowFields = Readonly<Record<string, RowField>>

type ValueOf<T> = T extends `${infer Rest}?`
  ? ValueOf<Rest> | undefined
  : T extends `${infer Rest} | null`
    ? ValueOf<Rest> | null
    : T extends `${infer Rest}[]`
      ? readonly ValueOf<Rest>[]
      : T extends keyof Scalars
        ? Scalars[T]
        : T extends readonly (infer Choice)[]
          ? Choice
          : T extends { readonly list: infer F extends RowFields }
            ? readonly FieldsOf<F>[]
            : never

/** Type of a row that is printed with these fields, without computed cells. */
export type FieldsOf<F extends RowFields> = {
  [K in keyof F as F[K][0] extends `${string}?` | ((row: Item) => unknown) ? never : K]: ValueOf<F[K][0]>
} & { [K in keyof F as F[K][0] extends `${string}?` ? K : never]?: ValueOf<F[K][0]> }

/** Kind of rows that this program composes, and the view of these rows. */
export interface RowKind<F extends RowFields = RowFields> extends View {
  /** Name of the list in JSON. */
  readonly key: string
  readonly shape: F
  readonly description?: string
}

export interface KindOptions {
  noun?: View['noun']
  description?: string
  /** Order of CSV and TSV, if it differs from the order of the shape. */
  fields?: readonly string[]
  /** Order of the table columns, if it differs from the order of CSV. */
  order?: readonly string[]
  /** Column that is never truncated. */
  whole?: string
  /** Fields that only `--columns` shows. */
  unlisted?: readonly string[]
}

/** @param shape fields in the default order of output */
export function defineRow<const F extends RowFields>(
  key: string,
  id: string | undefined,
  shape: F,
  { noun = [key.replace(/s$/, ''), key], description, whole, unlisted, ...given }: KindOptions = {},
): RowKind<F> {
  const all: RowFields = shape
  const { fields = Object.keys(dataFields(all)), order = given.fields ?? Object.keys(all) } = given
  const columns = order.map((field): Column => {
    const [type, weight = 0] = all[field] ?? []
    return { field, weight, isWhole: field === whole, ...(typeof type === 'function' && { value: type }) }
  })
  const choices = Object.entries(all).flatMap(([field, [type]]) =>
    Array.isArray(type) ? [[field, type.filter((choice) => choice !== null)] as const] : [],
  )
  return {
    ...{ key, shape, noun, fields, choices: Object.fromEntries(choices), isClosed: columns.length > 0 },
    ...omitUndefined({ id, description, unlisted }),
    columns: columns.filter(({ weight }) => weight > 0),
  }
}

export function dataFields(fields: RowFields): RowFields {
  return Object.fromEntries(Object.entries(fields).filter(([, [type]]) => typeof type !== 'function'))
}

/** Returns the view without some fields, which `--columns` may still name. */
export function omitFields(view: View, unlisted: readonly string[]): View {
  const fields = view.fields.filter((field) => !unlisted.includes(field))
  return { ...view, fields, unlisted, columns: view.columns.filter(({ field }) => !unlisted.includes(field)) }
}
