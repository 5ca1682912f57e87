import { omitUndefined } from '../../../api/defined.ts'
import type { Endpoint } from '../../../api/endpoints.ts'
import { parseBoolean, parseEnd, parseTimestamp } from '../../../api/readings.ts'
import {
  deprecatedFields,
  type Fields,
  listedFields,
  type Resource,
  unlistedFields,
} from '../../../api/resource.ts'
import { type ResourceName, resources } from '../../../api/resources.ts'
import { textOf } from '../../../api/text-of.ts'
import { deprecated } from '../../../api/vocabulary.ts'
import type { Visible } from '../../../host.ts'
import type { Style } from '../terminal/style.ts'
import { lazily } from './lazily.ts'

export type Item = Readonly<Record<string, unknown>>

/** One column of a table. */
export interface Column {
  /** Field of the item, or the name of a derived value. */
  readonly field: string
  /** Higher keeps its width longer; the least important shrink first, and go first. */
  readonly weight: number
  /** The value to show, when it is not simply the field's; undefined where the item does not tell. */
  readonly value?: (item: Item) => unknown
  /** Only in tables: draws a cell instead, as wide as there is room for. */
  readonly drawing?: Drawing
}

/** What is drawn in the cells of a column, in so many columns of the terminal. */
export interface Drawing {
  /** Most columns of the terminal that it has a use for. */
  readonly most: number
  cell(item: Item, width: number): string
  /** The title of the column, when it is not simply the field’s. */
  title?(width: number): string
}

/** How one kind of thing is shown. */
export interface View {
  /** Singular and plural, for people. */
  readonly noun: readonly [string, string]
  /** Field that `-o ids` prints. */
  readonly id?: string
  /** Field that names it in questions. */
  readonly label?: string
  /** Columns of a table. */
  readonly columns: readonly Column[]
  /** Fields of the document in its order, deprecated ones left out: records and CSV. */
  readonly fields: readonly string[]
  /** The values of fields that have few. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  /** Fields that the embedded service sends beyond the document. */
  readonly unlisted?: readonly string[]
  /** Fields that carry no value, but a literal that says so. */
  readonly deprecated?: readonly string[]
  /** Fields beyond the document that CSV has even where the first page lacks them. */
  readonly kept?: readonly string[] | undefined
}

/** A column whose value is worked out from the fields of an item. */
interface DerivedColumn<F extends Fields> {
  readonly field: string
  /** Its place in the table, among those of the fields, and its weight. */
  readonly column: readonly [place: number, weight: number]
  readonly choices?: readonly string[]
  readonly value: (item: { readonly [K in keyof F]?: unknown }) => unknown
}

/** How the items of a resource are shown. */
export function viewFor<F extends Fields>(
  resource: Resource<F>,
  derived: readonly DerivedColumn<F>[] = [],
): View {
  const { name, plural, id, label } = resource
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
    fields: listedFields(resource.fields).map(([field]) => field),
    choices: Object.fromEntries(choices.filter(([, values]) => Array.isArray(values))),
    unlisted: unlistedFields(resource.fields).map(([field]) => field),
    deprecated: deprecatedFields(resource.fields),
  }
}

/** A resource without a view does not compile. */
export const views: Readonly<Record<ResourceName, View>> = lazily({
  room: () =>
    viewFor(resources.room, [
      {
        field: 'status',
        column: [4, 6],
        choices: ['active', 'terminated'],
        // Deprecated, and still the truth where a service sends a boolean.
        value: ({ is_terminated, terminated_at }) =>
          choose(
            parseBoolean(is_terminated) ?? isTime(parseTimestamp(terminated_at)),
            'terminated',
            'active',
          ),
      },
    ]),
  member: () =>
    viewFor(resources.member, [
      {
        field: 'status',
        column: [4, 4],
        choices: ['blocked'],
        value: ({ is_blocked }) => choose(parseBoolean(is_blocked), 'blocked', ''),
      },
    ]),
  user: () => viewFor(resources.user),
  session: () =>
    viewFor(resources.session, [
      {
        field: 'status',
        column: [4, 6],
        choices: ['online', 'offline'],
        value: ({ connected_at, disconnected_at }) =>
          choose(isTime(parseEnd(connected_at, disconnected_at)), 'offline', 'online'),
      },
    ]),
  page: () =>
    viewFor(resources.page, [
      {
        field: 'images',
        column: [2, 5],
        value: (page) =>
          (Array.isArray(page.entities) ? page.entities : [])
            .map((entity) => textOf(entity?.src ?? entity?.type ?? ''))
            .join(' '),
      },
    ]),
  message: () => viewFor(resources.message),
})

/** The field of a room that says when it was terminated. */
export const endField = 'terminated_at'

/** When a room was terminated, as the service tells it. */
export function endOfRoom(room: Item): unknown {
  return room[endField]
}

/** How the result of an operation is shown. */
export function viewOf({ resource }: Endpoint): View {
  return views[resource]
}

/** A value that depends on another; undefined when that one is absent: null and false are told, absent is not. */
function choose<T>(told: boolean | null | undefined, ifSo: T, ifNot: T): T | undefined {
  if (told === undefined) return undefined
  return told ? ifSo : ifNot
}

/** Whether there is a time; undefined when that is not known. */
function isTime(time: number | null | undefined): boolean | undefined {
  return time === undefined ? undefined : time !== null
}

/** What an item says of a field: absent is not null. */
export type FieldValue = { known: true; value: unknown } | { known: false; isUnreadable?: true }

/** What an item says of a field, or of a value derived from its fields. */
export function fieldOf(view: View, field: string, item: Item): FieldValue {
  const value = Object.hasOwn(item, field)
    ? item[field]
    : view.columns.find((column) => column.field === field)?.value?.(item)
  return value === undefined || isDeprecated(view, field, value) ? { known: false } : { known: true, value }
}

/** Whether a value is the literal of a deprecated field. In any other field that is text like any other. */
export function isDeprecated(view: View, field: string, value: unknown): boolean {
  return value === deprecated && view.deprecated?.includes(field) === true
}

/** The value of a column for one item; null for nothing, for what is unknown and for deprecated fields. */
export function cellOf(view: View, field: string, item: Item): unknown {
  const told = fieldOf(view, field, item)
  return told.known ? told.value : null
}

/** Whether a column of this name can be asked for: a listed field, a derived one, or one that some item has. */
export function knowsField(view: View, field: string, items: readonly Item[]): boolean {
  return (
    view.fields.includes(field) ||
    view.unlisted?.includes(field) ||
    view.columns.some((column) => column.field === field) ||
    items.some((item) => Object.hasOwn(item, field))
  )
}

const colours: Record<string, (style: Style) => Style[keyof Style]> = {
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

/** Colours that carry meaning: types, and whether something is live, over or blocked. */
export function colourOf(field: string, text: Visible, style: Style): Visible {
  if (!/type$|^status$/.test(field)) return text
  return Object.hasOwn(colours, text) ? (colours[text]?.(style)(text) ?? text) : text
}
