import { omitUndefined } from '../../../api/defined.ts'
import type { Endpoint } from '../../../api/endpoints.ts'
import { parseBoolean, parseEnd, parseTimestamp } from '../../../api/readings.ts'
import {
  type Fields,
  type Resource,
  selectDeprecatedFields,
  selectListedFields,
  selectUnlistedFields,
} from '../../../api/resource-types.ts'
import { type ResourceName, resources } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import { deprecated } from '../../../api/vocabulary.ts'
import type { Visible } from '../../../host.ts'
import type { Style } from '../terminal/style.ts'

export type Item = Readonly<Record<string, unknown>>

export interface Column {
  readonly field: string
  /** On a narrow terminal, columns of low weight shrink and disappear first, after empty columns. */
  readonly weight: number
  /** Derives the value from the item. Returns undefined if the value is unknown. */
  readonly value?: (item: Item) => unknown
  /** True if the cell is never truncated. The terminal may wrap the cell. */
  readonly isWhole?: boolean
  /** Drawn only in tables. */
  readonly drawing?: Drawing
}

interface Drawing {
  /** Maximum useful width, in columns. */
  readonly max: number
  cell(item: Item, width: number): string
  title?(width: number): string
}

export interface View {
  readonly noun: readonly [string, string]
  readonly id?: string
  readonly label?: string
  readonly columns: readonly Column[]
  /** Computed fields, which keep their meaning even if a service sends fields with the same names. */
  readonly derived?: ReadonlyMap<string, (item: Item) => unknown>
  /** Fields that come first in records, CSV and TSV, in this order. */
  readonly fields: readonly string[]
  readonly choices?: Readonly<Record<string, readonly string[]>>
  /** Fields that the API specification does not list, or that only `--columns` shows. */
  readonly unlisted?: readonly string[]
  /** Fields that may contain `#DEPRECATED#`. */
  readonly deprecated?: readonly string[]
  readonly onRequest?: readonly string[]
  /** True if no item has additional fields, so that unknown columns are refused early. */
  readonly isClosed?: boolean
  /** True for a table whose columns `--columns` cannot change. */
  readonly isFixed?: boolean
  /** Fields that CSV and TSV include even if the first page lacks them. */
  readonly alwaysShown?: readonly string[] | undefined
}

interface DerivedColumn<F extends Fields> {
  readonly field: string
  readonly column: readonly [place: number, weight: number]
  readonly choices?: readonly string[]
  readonly value: (item: { readonly [K in keyof F]?: unknown }) => unknown
}

export function createView<F extends Fields>(resource: Resource<F>, derivedColumn?: DerivedColumn<F>): View {
  const { name, plural, id, label } = resource
  const derived = derivedColumn ? [derivedColumn] : []
  const fields = Object.entries(resource.fields)
  const shown = fields.flatMap(([field, { column }]) => (column ? [{ field, column }] : []))
  const choices = [
    ...fields.map(([field, { type }]) => [field, type]),
    ...derived.map(({ field, choices }) => [field, choices]),
  ]
  return {
    ...omitUndefined({ id, label }),
    noun: [name, plural],
    columns: [...shown, ...derived]
      .sort((a, b) => a.column[0] - b.column[0])
      .map(({ column: [, weight], ...rest }) => ({ ...rest, weight })),
    derived: new Map(derived.map(({ field, value }) => [field, value])),
    fields: selectListedFields(resource.fields).map(([field]) => field),
    choices: Object.fromEntries(choices.filter(([, values]) => Array.isArray(values))),
    unlisted: selectUnlistedFields(resource.fields).map(([field]) => field),
    deprecated: selectDeprecatedFields(resource.fields),
    onRequest: fields.flatMap(([field, { onRequest }]) => (onRequest ? [field] : [])),
  }
}

export const views: Readonly<Record<ResourceName, View>> = {
  room: createView(resources.room, {
    field: 'status',
    column: [4, 6],
    choices: ['active', 'terminated'],
    // `is_terminated` is deprecated, but reliable if the service sends a boolean.
    value: ({ is_terminated, terminated_at }) =>
      select(parseBoolean(is_terminated) ?? isSet(parseTimestamp(terminated_at)), 'terminated', 'active'),
  }),
  member: createView(resources.member, {
    field: 'status',
    column: [4, 4],
    choices: ['blocked'],
    value: ({ is_blocked }) => select(parseBoolean(is_blocked), 'blocked', ''),
  }),
  user: createView(resources.user),
  session: createView(resources.session, {
    field: 'status',
    column: [4, 6],
    choices: ['online', 'offline'],
    value: ({ connected_at, disconnected_at }) =>
      select(isSet(parseEnd(connected_at, disconnected_at)), 'offline', 'online'),
  }),
  page: createView(resources.page, {
    field: 'images',
    column: [2, 5],
    value: (page) =>
      (Array.isArray(page.entities) ? page.entities : [])
        .map((entity) => toText(entity?.src ?? entity?.type ?? ''))
        .join(' '),
  }),
  message: createView(resources.message),
  delivery: createView(resources.delivery, {
    field: 'last_response',
    column: [6, 7],
    value: ({ last_status, last_error }) => last_status ?? last_error,
  }),
}

export const selectView = ({ resource }: Endpoint): View => views[resource]

/** Returns one of two values; undefined if the condition is unknown. Null counts as false. */
function select<T>(found: boolean | null | undefined, ifSo: T, ifNot: T): T | undefined {
  if (found === undefined) return undefined
  return found ? ifSo : ifNot
}

function isSet(time: number | null | undefined): boolean | undefined {
  return time === undefined ? undefined : time !== null
}

/** Value of a field, which may be null; not known if missing, deprecated or unreadable. */
export type FieldValue = { known: true; value: unknown } | { known: false; isUnreadable?: true }

export function readField(view: View, field: string, item: Item): FieldValue {
  const derive = view.derived?.get(field)
  const value = derive
    ? derive(item)
    : Object.hasOwn(item, field)
      ? item[field]
      : view.columns.find((column) => column.field === field)?.value?.(item)
  return value === undefined || isDeprecated(view, field, value) ? { known: false } : { known: true, value }
}

/** Returns true for the mark of a deprecated field. Other fields may hold the same text. */
export function isDeprecated(view: View, field: string, value: unknown): boolean {
  return value === deprecated && view.deprecated?.includes(field) === true
}

/** Returns the value of a field; null for unknown and deprecated values. */
export function cellOf(view: View, field: string, item: Item): unknown {
  const found = readField(view, field, item)
  return found.known ? found.value : null
}

export function hasField(view: View, field: string, items: readonly Item[]): boolean {
  return (
    view.fields.includes(field) ||
    view.unlisted?.includes(field) ||
    view.columns.some((column) => column.field === field) ||
    items.some((item) => Object.hasOwn(item, field))
  )
}

const colors: Record<string, (style: Style) => Style[keyof Style]> = {
  active: (style) => style.green,
  online: (style) => style.green,
  terminated: (style) => style.dim,
  offline: (style) => style.dim,
  blocked: (style) => style.red,
  private: (style) => style.magenta,
  public: (style) => style.cyan,
  host: (style) => style.yellow,
  monitor: (style) => style.blue,
}

export function colorValue(field: string, text: Visible, style: Style): Visible {
  if (!/type$|^status$/.test(field)) return text
  return Object.hasOwn(colors, text) ? (colors[text]?.(style)(text) ?? text) : text
}
