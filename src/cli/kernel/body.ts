import { endpoints, type OperationName } from '../../api/endpoints.ts'
import type { BodyOf } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Fields } from '../../api/resource.ts'
import { resources } from '../../api/resources.ts'
import { UsageError } from '../../errors.ts'
import { Assignments, isObject, parsePair, parsePath } from '../input/assignments.ts'
import { findClosest } from '../input/closest.ts'
import { encodeUrl, readData, webUrl } from '../input/input.ts'
import type { Context } from './context.ts'
import { mapTexts } from './map-texts.ts'

export interface BodyFlags {
  set?: string[]
  data?: string
}

type Stated<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: Stated<T[K]> | undefined }
    : T

/**
 * What each flag says of the body of an operation: `{ '--name': { name } }`. None of it is required, as `--data` and `--set`
 * may say it as well.
 */
export type GivenFields<N extends OperationName> = Readonly<
  Record<string, Stated<BodyOf<Operations[N]>> & object>
>

/**
 * The body of a create or update: `--data` first, then what the flags and `--set` say. Fields that the document
 * does not list pass through: the service has more than its document shows. Nothing checks what `--data` and `--set` say,
 * so a listed field may hold a value of any type.
 */
export async function buildBody<N extends OperationName>(
  context: Context,
  name: N,
  flags: BodyFlags,
  given: GivenFields<N>,
): Promise<BodyOf<Operations[N]>> {
  const body = changedFields(flags, given)(await readBody(context, flags))
  await warnAboutUnknownFields(context, name, flags)
  return body as BodyOf<Operations[N]>
}

/** What `--data` gives of a body. */
export async function readBody({ host }: Context, { data }: BodyFlags): Promise<object> {
  const body = data === undefined ? {} : await readData(data, host)
  if (!isObject(body)) throw new UsageError('--data takes a JSON object here')
  return body
}

/**
 * How the flags change a body.
 * @param replace what becomes of the texts that they give
 * @throws {UsageError} when two of them give the same value
 */
export function changedFields(
  { set = [] }: BodyFlags,
  given: Readonly<Record<string, object>>,
  replace: (text: string) => string = (text) => text,
): (data: object) => object {
  const assignments = new Assignments()
  for (const [flag, said] of Object.entries(given)) assignments.add(flag, mapTexts(said, replace) as object)
  // Of the same key given again, the last one counts, as of any flag.
  for (const [key, value] of new Map(set.map((pair) => parsePair('--set', pair))))
    assignments.set(`--set ${key}`, parsePath(key), mapTexts(value, replace))
  return (data) => assignments.applyTo(data)
}

/** Asks about keys of `--set` that look like misspelt fields; the service may know them nevertheless. */
export async function warnAboutUnknownFields(
  context: Context,
  name: OperationName,
  { set = [] }: BodyFlags,
): Promise<void> {
  const { fields } = resources[endpoints[name].resource]
  for (const key of new Set(set.map((pair) => parsePair('--set', pair)[0]))) {
    const meant = intended(parsePath(key), fields)
    if (meant) await context.notice(`--set ${key}: did you mean ${meant.join('.')}? It is sent as it is`)
  }
}

/** Checks a URL of something to be fetched; one that `--data` gives may be of any kind. */
export function urlFor(field: string, { data }: BodyFlags): (text: string) => string {
  return data === undefined ? webUrl(field) : encodeUrl(field)
}

/** The path to a listed field that is close to another path; undefined when that leads to one itself, or is close to none. */
function intended([name = '', ...rest]: readonly string[], fields: Fields): string[] | undefined {
  const isListed = Object.hasOwn(fields, name)
  const writable = Object.keys(fields).filter((field) => fields[field]?.write)
  const near = isListed ? name : findClosest(name, writable)
  if (near === undefined) return undefined
  const type = fields[near]?.type
  const within = typeof type === 'object' && 'object' in type && rest.length > 0 ? type.object : {}
  const inner = intended(rest, within)
  return inner || !isListed ? [near, ...(inner ?? rest)] : undefined
}
