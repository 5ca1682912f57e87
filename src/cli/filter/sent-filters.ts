import { endpoints } from '../../api/endpoints.ts'
import { quoteForShell } from '../../api/quote-for-shell.ts'
import { toText } from '../../api/to-text.ts'
import { FilterIgnoredError } from '../../errors.ts'
import { isNamed } from '../matching/match.ts'
import { cellOf, type Item, readField, selectView } from '../output/views/views.ts'

/** `--where` condition that is equivalent to a filter of the API. */
interface Condition {
  field: string
  value: string
}

type Filtered = 'listRooms' | 'listSessions' | 'listDeliveries'

const equal = (field: string) => (value: unknown) => ({ field, value: toText(value) })
const oneOf = (field: string, ifTrue: string, ifFalse: string) => (value: unknown) => ({
  field,
  value: value === true ? ifTrue : ifFalse,
})

/** API filters whose effect is visible in the list items. */
const conditions: Record<Filtered, Readonly<Record<string, (value: unknown) => Condition>>> = {
  listRooms: {
    name: equal('name'),
    layout: equal('layout'),
    is_terminated: oneOf('status', 'terminated', 'active'),
  },
  listSessions: { user_id: equal('user_id'), is_connecting: oneOf('status', 'online', 'offline') },
  listDeliveries: { room_id: equal('room_id'), state: equal('state') },
}

/** @throws {FilterIgnoredError} for an item that contradicts a filter of the request */
export function requireFiltered(name: keyof typeof endpoints, query: object, items: readonly Item[]): void {
  const view = selectView(endpoints[name])
  for (const [filter, sent] of listSentFilters(name, query)) {
    const { field, value } = sent
    const other = items.find((item) => {
      const shown = readField(view, field, item)
      if (!shown.known || shown.value === null) return false
      return field === 'name' ? !isNamed(item, value) : toText(shown.value) !== value
    })
    if (!other) continue
    const shown = toText(cellOf(view, field, other))
    throw new FilterIgnoredError(
      `the service ignores the filter ${filter}: the list contains ${view.noun[0]} ${toText(other[view.id ?? 'id'])}, whose ${field} is ${shown}, not ${value}`,
      { hint: `filter on this machine with: --where ${quoteForShell(`${field}=${value}`)}` },
    )
  }
}

export function listSentFilters(name: string, query: object): (readonly [string, Condition])[] {
  const known = conditions[name as Filtered]
  if (!known) return []
  return Object.entries(query).flatMap(([filter, value]) => {
    const toCondition = value === undefined ? undefined : known[filter]
    return toCondition ? [[filter, toCondition(value)] as const] : []
  })
}
