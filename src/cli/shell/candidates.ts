import type { Argument, Command, Option } from 'commander'
import { omitUndefined } from '../../api/defined.ts'
import { endpoints } from '../../api/endpoints.ts'
import type { Resource } from '../../api/resource-types.ts'
import { resources, secretFields } from '../../api/resources.ts'
import { toText } from '../../api/to-text.ts'
import { settable } from '../../config/settings.ts'
import { findResource, resourceView } from '../filter/command-fields.ts'
import { isMetric } from '../filter/metric-types.ts'
import { roomStates } from '../filter/room-states.ts'
import { conditionTypes, fieldsOfRows, type KnownFields } from '../filter/where.ts'
import { topicSummaries } from '../help/topics.ts'
import { findCommand, listOptions, MeetroomCommand } from '../kernel/meetroom-command.ts'
import type { RowKind } from '../output/views/define-row.ts'
import { type Grouping, groupUsage, parseGrouping } from '../reports/group-by.ts'
import type { PartialLine } from './line.ts'

export interface Candidate {
  value: string
  words?: string
}

export interface Completion {
  candidates: readonly Candidate[]
  /** True if the shell completes file names. */
  files?: boolean
  /** True if the shell adds no space after the candidate. */
  open?: boolean
}

export interface CandidateSource {
  profiles(): Promise<readonly Candidate[]>
  rooms(): Promise<readonly Candidate[]>
  users(): Promise<readonly Candidate[]>
  members(room: string): Promise<readonly Candidate[]>
}

/** Returns the candidates for the word at the cursor, without a filter for the typed prefix. */
export async function findCandidates(
  root: Command,
  typed: PartialLine,
  lookUp: CandidateSource,
): Promise<Completion> {
  const { wanted, before, command } = typed
  if (wanted === 'command') return { candidates: listCommands(command) }
  if (wanted === 'flag') return { candidates: listFlags(command) }
  const completion =
    'option' in wanted
      ? await completeFlagValue(wanted.option, typed, lookUp)
      : await completeArgument(root, wanted.argument, typed, lookUp)
  const candidates = completion.candidates.map((candidate) => ({
    ...candidate,
    value: before + candidate.value,
  }))
  return { ...completion, candidates }
}

function listCommands(group: Command): Candidate[] {
  const listed = group
    .createHelp()
    .visibleCommands(group)
    .filter((known) => group.commands.includes(known))
  return listed.map((command) => ({ value: command.name(), words: command.summary() }))
}

function listGroupCommands(root: Command, [name, ...more]: readonly string[]): Candidate[] {
  const group = name === undefined ? root : findCommand(root, name)
  return group && more.length === 0 ? listCommands(group) : []
}

function listFlags(command: Command): Candidate[] {
  const flags = listOptions(command)
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', words: description }))
  return [...flags, { value: '--help', words: 'help on the command' }]
}

async function completeFlagValue(
  option: Option,
  typed: PartialLine,
  lookUp: CandidateSource,
): Promise<Completion> {
  if (option.long === '--by') return { candidates: completeList(option.argChoices ?? [], typed.text) }
  if (option.argChoices) return { candidates: values(option.argChoices) }
  const placeholder = /[<[](.*)[>\]]/.exec(option.flags)?.[1] ?? ''
  if (/file|dir/.test(placeholder)) return { candidates: [], files: true }
  const resource = findResource(typed.command)
  const list = await findListFields(typed, resource)
  const fields = [...(list?.types.keys() ?? [])]
  const complete: Record<string, () => Completable> = {
    '--profile': () => lookUp.profiles(),
    '--room': () => lookUp.rooms(),
    '--as': () => lookUp.users(),
    '--user': () => lookUp.users(),
    '--member': () => lookUp.users(),
    '--time-zone': () => values(['utc', ...Intl.supportedValuesOf('timeZone')]),
    '--columns': async () => completeList(await listColumnNames(typed, resource), typed.text),
    '--sort': () => completeList(fields, typed.text),
    '--count-by': () => values(fields.filter((field) => !secretFields.has(field))),
    '--where': () => completeWhere(list, typed),
    '--for': () => (list ? completeWaitCondition(list, typed.text) : []),
  }
  return toCompletion(await (complete[option.long ?? '']?.() ?? []))
}

function completeWhere(
  list: DescribedFields | undefined,
  typed: PartialLine,
): readonly Candidate[] | Completion {
  if (areRoomsSelected(typed)) return completeCondition(fieldsOfResource(resources.room), typed.text)
  if (!list) return []
  return completeCondition(typed.command.name() === 'import' ? withoutMetrics(list) : list, typed.text)
}

async function completeArgument(
  root: Command,
  argument: Argument | undefined,
  typed: PartialLine,
  lookUp: CandidateSource,
): Promise<Completion> {
  if (argument?.argChoices) return { candidates: values(argument.argChoices) }
  const { given } = typed
  const unused = (candidates: readonly Candidate[]) =>
    candidates.filter(({ value }) => !given.includes(value))
  const complete: Record<string, () => Completable> = {
    room: async () => unused(await lookUp.rooms()),
    user: async () => unused(await lookUp.users()),
    member: async () => unused(await lookUp.members(given[0] ?? '')),
    file: () => ({ candidates: [], files: true }),
    'body-file': () => ({ candidates: [], files: true }),
    profile: () => lookUp.profiles(),
    setting: () => values(Object.keys(settable)),
    method: () => values(['GET', 'POST', 'PUT', 'DELETE']),
    path: () => values(listPaths()),
    topic: () => [
      ...listGroupCommands(root, given),
      ...values(given.length === 0 ? Object.keys(topicSummaries) : []),
    ],
    command: () => listGroupCommands(root, given),
  }
  return toCompletion(await (complete[argument?.name() ?? '']?.() ?? []))
}

type Completable = readonly Candidate[] | Completion | Promise<readonly Candidate[] | Completion>

function toCompletion(found: readonly Candidate[] | Completion): Completion {
  return 'candidates' in found ? found : { candidates: found }
}

function areRoomsSelected({ command, given }: PartialLine): boolean {
  const selectsRooms = command instanceof MeetroomCommand ? command.selectsRooms : undefined
  return selectsRooms === 'always' || (selectsRooms === 'without arguments' && given.length === 0)
}

const values = (texts: readonly string[]): Candidate[] => texts.map((value) => ({ value }))

function listPaths(): readonly string[] {
  const all = Object.values(endpoints).map(({ path }) => path)
  return [...new Set(all)].filter((path) => !path.includes('{'))
}

interface DescribedFields extends KnownFields {
  describe(field: string): string | undefined
}

function fieldsOfResource(resource: Resource): DescribedFields {
  const view = resourceView(resource)
  const describe = (field: string) =>
    // The field `members` in requests for a room is not the metric `members`.
    field === 'age'
      ? 'time since creation, as in 90d'
      : isMetric(field)
        ? undefined
        : resource.fields[field]?.description
  return { view, types: conditionTypes(resource, view), describe }
}

const hasListFlags = ({ options }: Command) => options.some(({ long }) => long === '--sort')

async function findListFields(
  typed: PartialLine,
  resource: Resource | undefined,
): Promise<DescribedFields | undefined> {
  const isOfAllRooms = typed.flags['allRooms'] === true && hasListFlags(typed.command)
  const rows = resource && !isOfAllRooms ? undefined : await loadRowView(typed)
  if (rows) return { ...fieldsOfRows(rows), describe: (field) => rows.shape[field]?.[2] }
  return resource && fieldsOfResource(resource)
}

async function listColumnNames(typed: PartialLine, resource: Resource | undefined): Promise<string[]> {
  const rowView = await loadRowView(typed)
  const view = rowView ?? (resource && resourceView(resource))
  if (!view) return []
  const { columns, fields, unlisted = [] } = view
  const isList = !rowView && hasListFlags(typed.command)
  const more = resource && isList ? fieldsOfResource(resource).types.keys() : []
  return [...new Set([...columns.map(({ field }) => field), ...fields, ...unlisted, ...more])]
}

/** Completes a comma-separated list. A hyphen before a field means descending order. */
function completeList(names: readonly string[], text: string): Candidate[] {
  const given = text.split(',')
  const last = given.pop() ?? ''
  const before = given.map((name) => `${name},`).join('') + (last.startsWith('-') ? '-' : '')
  const used = given.map((name) => name.replace(/^-/, ''))
  return names.filter((name) => !used.includes(name)).map((value) => ({ value: before + value }))
}

/** Omits metrics, which rows of a file cannot have. */
function withoutMetrics(list: DescribedFields): DescribedFields {
  return { ...list, types: new Map([...list.types].filter(([field]) => !isMetric(field))) }
}

function completeWaitCondition(list: DescribedFields, text: string): Completion {
  const { candidates, ...rest } = completeCondition(list, text)
  const states = Object.entries(roomStates).map(([value, words]) => ({ value, words }))
  return { candidates: /[=<>~]/.test(text) ? candidates : [...states, ...candidates], ...rest }
}

function completeCondition({ view, types, describe }: DescribedFields, text: string): Completion {
  const [, field = '', operator = ''] = /^([\w.]+)(==|!=|=)/.exec(text) ?? []
  if (operator !== '') {
    const few = types.get(field) === 'boolean' ? ['true', 'false'] : (view.choices?.[field] ?? [])
    return { candidates: few.map((value) => ({ value: field + operator + value })) }
  }
  // All operators end with `=`, because fish would add a space after any other operator.
  const operators: Record<string, string> = { time: '<=', number: '>=', age: '>=', boolean: '=', text: '=' }
  const candidates = [...types].map(([name, type]) => {
    const words = describe(name)
    return { value: name + operators[type], ...omitUndefined({ words }) }
  })
  return { candidates, open: true }
}

/** Returns the view of a command whose rows are not items of its group. */
async function loadRowView(typed: PartialLine): Promise<RowKind | undefined> {
  const { command, flags } = typed
  const name = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()
  const { rowKinds, rowsOfCommands, rowsOfManyRooms } = await import('../output/views/rows.ts')
  const own = rowsOfCommands[name]
  if (own) return own
  const { targetsOperation } = command instanceof MeetroomCommand ? command : {}
  const isSelected = areRoomsSelected(typed) && flags['where'] !== undefined
  if (isSelected || flags['allRooms'] === true) {
    const written = rowsOfManyRooms[name] ?? (targetsOperation && rowKinds.steps)
    if (written) return written
  }
  const { rowsOfReports } = await import('../output/views/report-rows.ts')
  if (!Object.hasOwn(rowsOfReports, name)) return undefined
  const { by, includeBlocked } = flags
  const { selectReportView } = await import('../reports/columns.ts')
  const { includesAbsent } = await import('../reports/plan.ts')
  return selectReportView(name === 'sessions report' ? readGrouping(by) : groupUsage(by), {
    absent: includesAbsent(flags),
    includeBlocked: includeBlocked === true,
  })
}

/** Parses the value of `--by`. Returns the default grouping for missing or invalid text. */
function readGrouping(by: unknown): Grouping {
  try {
    return parseGrouping(toText(by))
  } catch {
    return parseGrouping('user')
  }
}
