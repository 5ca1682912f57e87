import { omitUndefined } from '../../api/defined.ts'
import { endpoints } from '../../api/endpoints.ts'
import type { BodyOf } from '../../api/operation-types.ts'
import type { Operations } from '../../api/operations.ts'
import { counted, plural } from '../../api/plural.ts'
import { resources } from '../../api/resources.ts'
import { toText } from '../../api/to-text.ts'
import { UsageError } from '../../errors.ts'
import { filterTypes } from '../filter/where.ts'
import {
  type BodyFlags,
  createBodyChange,
  type GivenFields,
  readBody,
  warnAboutUnknownFields,
} from '../kernel/body.ts'
import type { Context } from '../kernel/context.ts'
import { requireFields, type TargetsFlags } from '../kernel/flags.ts'
import { FullRecords } from '../lists/full-records.ts'
import { cellOf, type Item, readField, selectView } from '../output/views/views.ts'
import { confirmTargets } from './confirm-targets.ts'
import { readTargets } from './read-targets.ts'
import { writeTargets } from './write-targets.ts'

const maxExamples = 3

const view = selectView(endpoints.listRooms)

const updating = { verb: 'update', gerund: 'updating', kind: 'room' } as const

type Body = BodyOf<Operations['updateRoom']>

/**
 * Updates the rooms selected by `--where`. Flags and `--set` may contain placeholders for the fields of each room.
 * All bodies are built before the first update request.
 * @throws {UsageError} when a placeholder is not a field, or a room lacks the field
 */
export async function updateRooms(
  context: Context,
  flags: BodyFlags & TargetsFlags,
  given: GivenFields<'updateRoom'>,
): Promise<void> {
  const data = await readBody(context, flags)
  const bodyFor = (textFor: (field: string) => string) =>
    createBodyChange(flags, given, (text) => fillPlaceholders(text, textFor))(data) as Body
  const fields = new Set<string>()
  requireFields(
    context,
    bodyFor((field) => collectField(fields, field)),
    {},
  )
  await warnAboutUnknownFields(context, 'updateRoom', flags)

  const chosen: Item[] = []
  const { reasons, recheck } = await readTargets(context, {
    ...{ given: [], flags, list: 'listRooms', room: '' },
    onItem: (room) => chosen.push(room),
  })
  const rooms = await completeRooms(context, chosen, [...fields])
  const changes = new Map(
    rooms.map((room) => [String(room['id']), bodyFor((field) => toText(cellOf(view, field, room)))]),
  )
  await showExamples(context, rooms, changes)
  const ids = [...changes.keys()]
  await confirmTargets(context, updating, { ids, reasons, max: flags.max })
  const asked = context.flags.yes ? {} : omitUndefined({ recheck })
  const inputFor = (id: string) => ({ params: { id }, body: changes.get(id) as Body })
  const terminates = [...changes.values()].some((body) => body.is_terminated === true)
  const effect = terminates ? 'destroys' : 'writes'
  await writeTargets(
    context,
    { name: 'updateRoom', ids, inputFor, pastTense: 'updated', effect, ...asked },
    flags,
  )
}

function collectField(fields: Set<string>, field: string): string {
  const types = filterTypes(resources.room, view)
  if (!types.has(field))
    throw new UsageError(`no room has a field “${field}” for the placeholder {${field}}`, {
      hint: `fields are ${[...types.keys()].join(', ')}; write {{ or }} for a brace`,
    })
  fields.add(field)
  return ''
}

/**
 * Reads the full records of rooms that lack some of the fields, and drops rooms that were deleted meanwhile.
 * @throws {UsageError} when the full record of a room lacks a field
 */
async function completeRooms(
  context: Context,
  rooms: readonly Item[],
  fields: readonly string[],
): Promise<Item[]> {
  const findMissingField = (room: Item) => fields.find((field) => !readField(view, field, room).known)
  const isPartial = (room: Item) => findMissingField(room) !== undefined
  const records = await new FullRecords(context, 'listRooms').complete(rooms, isPartial, '')
  const complete = records.filter((room) => room !== undefined)
  for (const room of complete) {
    const field = findMissingField(room)
    if (field !== undefined)
      throw new UsageError(
        `room ${room['id']} has no field “${field}” for the placeholder {${field}}; nothing was changed`,
      )
  }
  return complete
}

async function showExamples(
  context: Context,
  rooms: readonly Item[],
  changes: ReadonlyMap<string, Body>,
): Promise<void> {
  if (rooms.length === 0) return
  const { length } = rooms
  const count = `${counted(length, ...view.noun)} ${plural(length, 'changes', 'change')}`
  await context.notice(length > maxExamples ? `${count}, for example:` : `${count}:`)
  for (const room of rooms.slice(0, maxExamples)) {
    const id = String(room['id'])
    const lines = Object.entries(changes.get(id) ?? {}).map(([field, value]) => {
      const before = readField(view, field, room)
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
 * Replaces the placeholders in a text such as `{name} (2025)`. `{{` and `}}` are literal braces.
 * @throws {UsageError} for an unbalanced brace
 */
function fillPlaceholders(text: string, textFor: (field: string) => string): string {
  return text.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field?: string) => {
    if (field !== undefined) return textFor(field)
    if (found.length === 2) return found.charAt(0)
    throw new UsageError(`“${text}”: with --where, write {{ or }} for a brace`, {
      hint: 'a single brace begins or ends a placeholder, such as {name}',
    })
  })
}
