import { findClosest } from '../../api/closest.ts'
import { type Endpoint, endpoints, type OperationName } from '../../api/endpoints.ts'
import { quoteValue } from '../../api/issue.ts'
import type { RequestBody } from '../../api/operations.ts'
import type { Fields, Resource } from '../../api/resource-types.ts'
import { type ResourceName, resources } from '../../api/resources.ts'
import { suggest, UsageError } from '../../errors.ts'
import { Assignments, isObject, parsePair, parsePath } from '../input/assignments.ts'
import { createUrlParser, createWebUrlParser, readData } from '../input/input.ts'
import { describeUnlikelyEmail } from '../input/unlikely-id.ts'
import type { Context } from './context.ts'

export interface BodyFlags {
  set?: string[]
  data?: string
}

type PartialBody<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: PartialBody<T[K]> | undefined }
    : T

/** Body fields set by each flag, as in `{ '--name': { name } }`. */
export type GivenFields<N extends OperationName> = Readonly<
  Record<string, PartialBody<RequestBody<N>> & object>
>

/**
 * Builds a body from `--data`, then applies flags and `--set`. Values are not validated.
 * @throws {UsageError} for invalid flags, or a field that an update cannot change
 */
export async function buildBody<N extends OperationName>(
  context: Context,
  name: N,
  flags: BodyFlags,
  given: GivenFields<N>,
): Promise<RequestBody<N>> {
  const data = await readBody(context, flags)
  refuseWrapper(name, data)
  requireUpdatable(name, flags, given, data)
  const body = createBodyChange(flags, given)(data)
  refuseTypographicQuotes(given)
  await warnAboutUnknownFields(context, name, flags)
  for (const [field, value] of Object.entries(body)) {
    const unlikely = describeUnlikelyEmail(field, value)
    if (unlikely === undefined) continue
    const id = (body as Record<string, unknown>)['user_id']
    const [, address] = /<([^<>\s,;]+@[^<>\s,;]+)>$/.exec(String(value)) ?? []
    await context.notice([
      `warning: ${unlikely}`,
      ...(typeof id === 'string' && address !== undefined
        ? ['; correct it with: ', suggest(['users', 'update', id, '--email', address])]
        : []),
    ])
  }
  return body as RequestBody<N>
}

/** Source of a field in `GivenFields` that is no argument. */
export const standardInput = 'standard input'

const inQuotes = /^[\u201c-\u201e\xab][^\u201c-\u201e\xab\xbb]*[\u201c-\u201e\xbb]$/

/** @throws {UsageError} for an argument such as “Maths”, whose quotes the shell does not remove */
function refuseTypographicQuotes(given: Readonly<Record<string, object>>): void {
  for (const [flag, fields] of Object.entries(given))
    for (const value of Object.values(fields))
      if (flag !== standardInput && typeof value === 'string' && inQuotes.test(value))
        throw new UsageError(`${flag}: the quotes of ${value} are part of the text`, {
          correction: [value, value.slice(1, -1)],
        })
}

/** @throws {UsageError} if the data is a response, whose item would become an unlisted field */
function refuseWrapper(name: OperationName, data: object): void {
  const { result } = endpoints[name]
  if (Object.keys(data).length === 1 && isObject((data as Record<string, unknown>)[result]))
    throw new UsageError(`--data must be the object in the field “${result}”, without the field`)
}

/** @throws {UsageError} if `--data` is not a readable JSON object */
export async function readBody({ host }: Context, { data }: BodyFlags): Promise<object> {
  const body = data === undefined ? {} : await readData(data, host)
  if (!isObject(body)) throw new UsageError(`--data must be a JSON object, not ${quoteValue(body)}`)
  return body
}

/** @throws {UsageError} if `--set` is malformed, or two flags set the same field */
export function createBodyChange(
  { set = [] }: BodyFlags,
  given: Readonly<Record<string, object>>,
  replace: (text: string) => string = (text) => text,
): (data: object) => object {
  const assignments = new Assignments()
  for (const [flag, said] of Object.entries(given)) assignments.add(flag, mapTexts(said, replace) as object)
  // If a key is repeated, its last value wins, as for most flags.
  for (const [key, value] of new Map(set.map((pair) => parsePair('--set', pair))))
    assignments.set(`--set ${key}`, parsePath(key), mapTexts(value, replace))
  return (data) => assignments.applyTo(data)
}

/**
 * Accepts any field in data with an ID, because such data is probably a record from the service.
 * @throws {UsageError} for a field that an update cannot change
 */
export function requireUpdatable(
  name: OperationName,
  { set = [] }: BodyFlags,
  given: Readonly<Record<string, object>>,
  data: object,
): void {
  const { method, resource } = endpoints[name]
  if (method !== 'PUT') return
  const { id = '', fields } = resources[resource] as Resource
  const flagFields = Object.values(given).flatMap(Object.keys)
  const named = set.map((pair) => parsePath(parsePair('--set', pair)[0])[0] ?? '')
  for (const field of Object.hasOwn(data, id) ? named : [...named, ...Object.keys(data)])
    if ((isSetOnlyAtCreation(fields, field) || isRoomStatus(resource, field)) && !flagFields.includes(field))
      throw new UsageError(describeFixedField(resource, field))
}

const isRoomStatus = (name: ResourceName, field: string) => name === 'room' && field === 'status'

export function isSetOnlyAtCreation(fields: Fields, field: string): boolean {
  return Object.hasOwn(fields, field) && fields[field]?.write === 'create'
}

export function describeFixedField(name: ResourceName, field: string): string {
  if (isRoomStatus(name, field))
    return 'the status of a room is computed; “rooms terminate” and “rooms reopen” change it'
  if (field === 'members') return 'members are not a field of a room; “members add” adds a member'
  const creation = Object.values<Endpoint>(endpoints).find(
    ({ method, resource, many }) => method === 'POST' && resource === name && !many,
  )
  const merge = field === 'user_id' && name === 'user' ? ', and “users merge” moves a user to another ID' : ''
  return `the ${field} of a ${name} cannot change after its creation; “${creation?.id.replace('.', ' ')}” sets it${merge}`
}

/**
 * Prints notices, not errors, for `--set` keys that look misspelled, because services may support more
 * fields.
 */
export async function warnAboutUnknownFields(
  context: Context,
  name: OperationName,
  { set = [] }: BodyFlags,
): Promise<void> {
  const { fields } = resources[endpoints[name].resource]
  for (const key of new Set(set.map((pair) => parsePair('--set', pair)[0]))) {
    const suggestion = findIntendedPath(parsePath(key), fields)
    if (suggestion)
      await context.notice(`--set ${key}: did you mean ${suggestion.join('.')}? The field is sent unchanged`)
  }
}

export function urlFor(field: string, { data }: BodyFlags): (text: string) => string {
  return data === undefined ? createWebUrlParser(field) : createUrlParser(field)
}

/** Returns the probable path; undefined if the given path is correct or no path is similar. */
function findIntendedPath([name = '', ...rest]: readonly string[], fields: Fields): string[] | undefined {
  const isListed = Object.hasOwn(fields, name)
  const writable = Object.keys(fields).filter((field) => fields[field]?.write)
  const closest = isListed ? name : findClosest(name, writable)
  if (closest === undefined) return undefined
  const type = fields[closest]?.type
  const within = typeof type === 'object' && 'object' in type && rest.length > 0 ? type.object : {}
  const inner = findIntendedPath(rest, within)
  return inner || !isListed ? [closest, ...(inner ?? rest)] : undefined
}

function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, mapTexts(held, replace)]))
}
