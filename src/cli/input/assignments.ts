import { isLosslessNumber } from 'lossless-json'
import { isRecord } from '../../api/guards.ts'
import { maxLevels, readJson } from '../../api/json.ts'
import { UsageError } from '../../errors.ts'

/** @throws {UsageError} if the text does not begin with a key and `=` */
export function parsePair(flag: string, pair: string): [key: string, value: unknown] {
  const at = pair.indexOf('=')
  if (at < 1) {
    const [, key, value] =
      /^\{\s*"?([a-z_]\w*)"?\s*:\s*"?([^"{}[\],:]+)"?\s*\}$/i.exec(pair) ?? /^(\w+):([^:]+)$/.exec(pair) ?? []
    const details = key === undefined ? {} : { correction: [pair, `${key}=${value}`] as const }
    throw new UsageError(`${flag} must be key=value, not “${pair}”`, details)
  }
  const key = pair.slice(0, at)
  const text = pair.slice(at + 1)
  if (key.trim() !== key)
    throw new UsageError(`${flag} must be key=value without spaces around key, not “${pair}”`, {
      ...(key.trim() !== '' && { correction: [pair, `${key.trim()}=${text.trim()}`] as const }),
    })
  try {
    return [key, readJson(text)]
  } catch {
    return [key, text]
  }
}

export function parseFields(flag: string, pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map((pair) => parsePair(flag, pair)))
}

/**
 * Splits a dotted key such as `webhook.url`. In a name, `\.` is a dot and `\\` is a backslash.
 * @throws {UsageError} for an empty name, or more than `maxLevels` names
 */
export function parsePath(key: string, flag = '--set'): string[] {
  // Separators and names alternate in the result.
  const parts = key.split(/((?:\\[.\\]|[^.])+)/)
  const names = parts.filter((_, i) => i % 2 === 1).map((name) => name.replace(/\\([.\\])/g, '$1'))
  const separators = parts.filter((_, i) => i % 2 === 0)
  if (
    names.length === 0 ||
    separators.some((found, i) => found !== (i === 0 || i === names.length ? '' : '.'))
  )
    throw new UsageError(`${flag} ${key}: a name between dots is empty; write a dot in a name as \\.`)
  if (names.length > maxLevels) throw new UsageError(`${flag}: nested more than ${maxLevels} levels deep`)
  return names
}

class AssignedValue {
  constructor(
    /** Flag that sets the value: `--name`, `--set webhook.url`. */
    readonly from: string,
    readonly value: unknown,
  ) {}
}

/** Fields set in one object of a body. A `Map` treats `__proto__` as an ordinary name. */
class ObjectFields {
  readonly parts = new Map<string, AssignedValue | ObjectFields>()
  /** True if a flag replaces the whole object. */
  isWhole = false

  constructor(
    readonly from: string,
    /** Dotted path of the object, for error messages. */
    readonly place: string,
  ) {}
}

/** Values that flags assign to fields of a body. Two flags cannot set the same field. */
export class Assignments {
  readonly #root = new ObjectFields('', '')

  /** @throws {UsageError} if another flag sets the same field */
  add(from: string, assigned: object): void {
    for (const [path, value] of leavesOf(assigned, [])) assign(this.#root, path, value, from)
  }

  /**
   * Adds a value of `--set`. An object replaces the whole field.
   * @throws {UsageError} if another flag sets the same field
   */
  set(from: string, path: readonly string[], value: unknown): void {
    assign(this.#root, path, value, from)
  }

  /** @throws {UsageError} if a value belongs inside a field that is neither an object nor null */
  applyTo(data: object): object {
    return applyChanges(data, this.#root) as object
  }
}

function* leavesOf(assigned: object, above: readonly string[]): Generator<[path: string[], value: unknown]> {
  for (const [name, value] of Object.entries(assigned)) {
    const path = [...above, name]
    if (isObject(value)) yield* leavesOf(value, path)
    else if (value !== undefined) yield [path, value]
  }
}

function assign(
  into: ObjectFields,
  [name = '', ...rest]: readonly string[],
  value: unknown,
  from: string,
): void {
  const place = into.place === '' ? name : `${into.place}.${name}`
  const before = into.parts.get(name)
  const isInner = rest.length > 0 || isObject(value)
  if (before instanceof AssignedValue || (before && !isInner))
    throw new UsageError(`${before.from} and ${from} both set “${place}”`)
  const assigned = isInner ? (before ?? new ObjectFields(from, place)) : new AssignedValue(from, value)
  into.parts.set(name, assigned)
  if (assigned instanceof AssignedValue) return
  if (rest.length > 0) assign(assigned, rest, value, from)
  else {
    assigned.isWhole = true
    for (const [key, part] of Object.entries(value as object)) assign(assigned, [key], part, from)
  }
}

function applyChanges(data: unknown, assigned: AssignedValue | ObjectFields): unknown {
  if (assigned instanceof AssignedValue) return assigned.value
  const base = assigned.isWhole ? {} : (data ?? {})
  if (!isObject(base))
    throw new UsageError(`${assigned.from}: “${assigned.place}” in --data is not an object`)
  const kept = Object.entries(base).map(([name, value]) => {
    const part = assigned.parts.get(name)
    return [name, part ? applyChanges(value, part) : value]
  })
  const added = [...assigned.parts].filter(([name]) => !Object.hasOwn(base, name))
  return Object.fromEntries([...kept, ...added.map(([name, part]) => [name, applyChanges(undefined, part)])])
}

export function isObject(value: unknown): value is object {
  return isRecord(value) && !isLosslessNumber(value)
}
