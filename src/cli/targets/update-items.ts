import { omitUndefined } from '../../api/defined.ts'
import { endpoints } from '../../api/endpoints.ts'
import type { RequestBody } from '../../api/operations.ts'
import { counted, listNames, plural } from '../../api/plural.ts'
import { resources } from '../../api/resources.ts'
import { toText } from '../../api/to-text.ts'
import { UsageError } from '../../errors.ts'
import type { Substitution } from '../filter/substitution.ts'
import { filterTypes } from '../filter/where.ts'
import { fillPlaceholders } from '../input/placeholders.ts'
import {
  type BodyFlags,
  createBodyChange,
  type GivenFields,
  readBody,
  requireUpdatable,
  warnAboutUnknownFields,
} from '../kernel/body.ts'
import type { Context } from '../kernel/context.ts'
import { requireFields, type TargetsFlags } from '../kernel/flags.ts'
import { FullRecords } from '../lists/full-records.ts'
import { readList } from '../lists/read-list.ts'
import { groupByName } from '../matching/match.ts'
import { cellOf, type Item, readField, selectView, type View } from '../output/views/views.ts'
import { forAnyKind } from '../records/records.ts'
import { labelItem, maxNamed } from '../requests/describe-items.ts'
import { confirmTargets } from './confirm-targets.ts'
import { readTargets } from './read-targets.ts'
import { writeTargets } from './write-targets.ts'

const maxExamples = 3

const kinds = {
  room: { name: 'updateRoom', list: 'listRooms', view: selectView(endpoints.listRooms), param: 'id' },
  user: { name: 'updateUser', list: 'listUsers', view: selectView(endpoints.listUsers), param: 'user_id' },
} as const

type UpdatedKind = (typeof kinds)[keyof typeof kinds]

type Body = RequestBody<'updateRoom'> & RequestBody<'updateUser'>

interface UpdateFlags extends BodyFlags, TargetsFlags {
  rename?: string
}

/**
 * Updates the selected rooms or users. Builds all bodies before the first update, so that an invalid
 * placeholder changes nothing.
 * @param encode completes the body of each item
 * @throws {ConfirmationError} if the changes are not confirmed
 */
export async function updateItems(
  context: Context,
  kind: keyof typeof kinds,
  flags: UpdateFlags,
  given: GivenFields<'updateRoom'> | GivenFields<'updateUser'>,
  encode: (body: Body) => Body = (body) => body,
): Promise<void> {
  const updated = kinds[kind]
  const { name, list, view, param } = updated
  const substitute = await readRename(flags)
  const data = await readBody(context, flags)
  requireUpdatable(name, flags, given, data)
  const bodyFor = (textFor: (field: string) => string) =>
    createBodyChange(flags, given, (text) => fillPlaceholders(text, textFor, 'with --where'))(data) as Body
  const fields = new Set<string>()
  const sample = bodyFor((field) => collectField(updated, kind, fields, field))
  if (substitute) fields.add('name')
  else requireFields(context, sample, {})
  await warnAboutUnknownFields(context, name, flags)

  const chosen: Item[] = []
  const { reasons, recheck } = await readTargets(context, {
    ...{ given: [], flags, list, room: '' },
    onItem: (item) => chosen.push(item),
  })
  const items = await completeItems(context, updated, chosen, [...fields])
  const renames = substitute && (await planRenames(context, updated, items, substitute))
  const names = new Map<string, string>()
  const changes = new Map<string, Body>()
  for (const item of items) {
    const id = String(item[param])
    const body = encode(bodyFor((field) => toText(cellOf(view, field, item))))
    const renamed = renames?.get(id)
    const { name: after = '' } = body
    const before = toText(item['name'])
    if (after.trim() !== '' && after !== before) names.set(id, after)
    if (renamed !== undefined) changes.set(id, { ...body, name: renamed })
    else if (Object.keys(body).length > 0) changes.set(id, body)
  }
  const named = new Map(items.map((item) => [String(item[param]), item]))
  refuseSameNames(updated, named, names, fields.size === 0 ? sample.name : undefined)
  const changed = items.filter((item) => changes.has(String(item[param])))
  const most = substitute && context.flags.dryRun ? changed.length : maxExamples
  await showExamples(context, updated, changed, changes, most)
  const ids = [...changes.keys()]
  const updating = { verb: 'update', kind }
  await confirmTargets(context, updating, { ids, reasons, max: flags.max })
  const asked = context.flags.yes ? {} : omitUndefined({ recheck })
  const inputFor = (id: string) => forAnyKind({ params: { [param]: id }, body: changes.get(id) })
  const terminates = [...changes.values()].some((body) => body.is_terminated === true)
  const effect = terminates ? 'destroys' : 'writes'
  await writeTargets(context, { name, ids, inputFor, pastTense: 'updated', effect, ...asked }, flags)
}

async function readRename({ rename }: UpdateFlags): Promise<Substitution | undefined> {
  if (rename === undefined) return undefined
  const { parseSubstitution } = await import('../filter/substitution.ts')
  return parseSubstitution(rename, '--rename')
}

function collectField(
  { view }: UpdatedKind,
  kind: keyof typeof kinds,
  fields: Set<string>,
  field: string,
): string {
  const types = filterTypes(resources[kind], view)
  if (!types.has(field))
    throw new UsageError(`no ${kind} has a field “${field}” for the placeholder {${field}}`, {
      hint: `fields are ${[...types.keys()].join(', ')}; write {{ or }} for a brace`,
    })
  fields.add(field)
  return ''
}

/**
 * Completes partial items, and drops partial items that no longer exist.
 * @throws {UsageError} if a full record lacks a field
 */
async function completeItems(
  context: Context,
  { list, view, param }: UpdatedKind,
  items: readonly Item[],
  fields: readonly string[],
): Promise<Item[]> {
  const findMissingField = (item: Item) => fields.find((field) => !readField(view, field, item).known)
  const isPartial = (item: Item) => findMissingField(item) !== undefined
  const records = await new FullRecords(context, list).complete(items, isPartial, '')
  const complete = records.filter((item) => item !== undefined)
  for (const item of complete) {
    const field = findMissingField(item)
    if (field !== undefined)
      throw new UsageError(
        `${view.noun[0]} ${item[param]} has no field “${field}” for the placeholder {${field}}; nothing was changed`,
      )
  }
  return complete
}

async function showExamples(
  context: Context,
  { view, param }: UpdatedKind,
  items: readonly Item[],
  changes: ReadonlyMap<string, Body>,
  most: number,
): Promise<void> {
  if (items.length === 0) return
  const { length } = items
  const count = `${counted(length, ...view.noun)} ${plural(length, 'changes', 'change')}`
  await context.notice(length > most ? `${count}, for example:` : `${count}:`)
  for (const item of items.slice(0, most)) {
    const id = String(item[param])
    const lines = Object.entries(changes.get(id) ?? {}).map(([field, value]) => {
      const before = readField(view, field, item)
      return before.known
        ? `${field} ${formatValue(before.value)} → ${formatValue(value)}`
        : `${field} ${formatValue(value)}`
    })
    await context.notice(`  ${id}  ${lines.join(', ')}`)
  }
}

function formatValue(value: unknown): string {
  if (value === null || value === '') return '(empty)'
  return typeof value === 'string' ? `“${value}”` : toText(value)
}

/**
 * Returns the changed names by item ID.
 * @throws {UsageError} if a new name is empty or not unique
 */
async function planRenames(
  context: Context,
  kind: UpdatedKind,
  items: readonly Item[],
  substitute: Substitution,
): Promise<ReadonlyMap<string, string>> {
  const idOf = (item: Item) => String(item[kind.param])
  const renames = new Map<string, string>()
  for (const item of items) {
    const before = toText(item['name'] ?? '')
    const after = substitute(before)
    if (after === before) continue
    if (after.trim() === '')
      throw new UsageError(
        `--rename would remove the name of ${kind.view.noun[0]} ${labelItem(idOf(item), before)}`,
      )
    renames.set(idOf(item), after)
  }
  const kept = items.length - renames.size
  if (kept > 0)
    await context.notice(`--rename does not change the names of ${counted(kept, ...kind.view.noun)}`)
  if (renames.size > 0) await requireFreeNames(context, kind, renames)
  return renames
}

async function requireFreeNames(
  context: Context,
  { list, view, param }: UpdatedKind,
  renames: ReadonlyMap<string, string>,
): Promise<void> {
  const all = new Map<string, Item>()
  const full = new FullRecords(context, list)
  const isPartial = (item: Item) => !readField(view, 'name', item).known
  for await (const { items } of readList(context, list, {}, { all: true }))
    for (const item of await full.complete(items, isPartial, ''))
      if (item) all.set(String(item[param]), { name: item['name'] })
  refuseSameNames({ view }, all, renames)
}

/**
 * @param items all items that must differ in their names
 * @param typed name without placeholders, for all items
 * @throws {UsageError} if a new name is not unique
 */
function refuseSameNames(
  { view }: Pick<UpdatedKind, 'view'>,
  items: ReadonlyMap<string, Item>,
  renames: ReadonlyMap<string, string>,
  typed?: string,
): void {
  const groups = [...groupByName(items, (id, item) => renames.get(id) ?? item['name'])]
  const clashes = groups.filter(([, ids]) => ids.length > 1 && ids.some((id) => renames.has(id)))
  const [first, ...others] = clashes
  if (!first) return
  const [name, ids] = first
  const labels = ids.map((id) => labelItem(id, toText(items.get(id)?.['name'] ?? '')))
  const fitted = typed && toPlaceholders(typed, view)
  const more =
    others.length > 0 ? `; ${counted(others.length, 'other name')} would also occur several times` : ''
  throw new UsageError(
    `${counted(ids.length, ...view.noun)} would have the name “${name}”: ${listNames(labels, maxNamed)}${more}; nothing was changed`,
    fitted === undefined
      ? { hint: 'select fewer items with --where, or another name' }
      : { correction: [typed ?? '', fitted] },
  )
}

/** Converts placeholders of other programs, such as `%name%`; undefined without such placeholders. */
function toPlaceholders(text: string, { columns }: View): string | undefined {
  const fitted = text.replace(/%(\w+)%|\$(\w+)|<(\w+)>/g, (found, ...words) => {
    const field = words.slice(0, 3).find((word) => word !== undefined)
    return columns.some((column) => column.field === field) ? `{${field}}` : found
  })
  return fitted === text ? undefined : fitted
}
