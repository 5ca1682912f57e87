import { isLosslessNumber } from 'lossless-json'
import { isRecord } from '../../api/guards.ts'
import { maxLevels, readJson } from '../../api/json.ts'
import { UsageError } from '../../errors.ts'

/** Parses `key=value`. The value is read as JSON if it is valid JSON, and as a string otherwise. */
export function parsePair(flag: string, pair: string): [key: string, value: unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`${flag} takes key=value, not “${pair}”`)
  const key = pair.slice(0, at)
  const text = pair.slice(at + 1)
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
 * Splits a dotted key into names: `webhook.url` is `url` in `webhook`. `\.` is a dot in a name, `\\` a backslash.
 * @throws {UsageError} if a name is empty, or there are too many names
 */
export function parsePath(key: string, flag = '--set'): string[] {
  // Alternates between separators and names.
  const parts = key.split(/((?:\\[.\\]|[^.])+)/)
  const names = parts.filter((_, i) => i % 2 === 1).map((name) => name.replace(/\\([.\\])/g, '$1'))
  const separators = parts.filter((_, i) => i % 2 === 0)
  if (separators.some((found, i) => found !== (i === 0 || i === names.length ? '' : '.')))
    throw new UsageError(`${flag} ${key}: a name between the dots is empty; a dot in a name is written \\.`)
  if (names.length > maxLevels) throw new UsageError(`${flag}: nested more than ${maxLevels} levels deep`)
  return names
}

class Value {
  constructor(
    /** Flag that gives the value: `--name`, `--set webhook.url`. */
    readonly from: string,
    readonly value: unknown,
  ) {}
}

/** Fields of an object in a body that the command line sets. A map, so that no name reaches a prototype. */
class Parts {
  readonly parts = new Map<string, Value | Parts>()
  /** The object was given as a whole and replaces existing fields. */
  isWhole = false

  constructor(
    readonly from: string,
    /** Dotted path of the object, for error messages. */
    readonly place: string,
  ) {}
}

/** Values that flags assign to fields of a body. Objects are merged; two flags cannot set the same field. */
export class Assignments {
  readonly #root = new Parts('', '')

  /** @throws {UsageError} if another flag sets the same field */
  add(from: string, said: object): void {
    for (const [path, value] of leavesOf(said, [])) assign(this.#root, path, value, from)
  }

  /** Adds a value of `--set`. An object replaces the whole field. */
  set(from: string, path: readonly string[], value: unknown): void {
    assign(this.#root, path, value, from)
  }

  /** @throws {UsageError} if a value belongs inside a field that is not an object */
  applyTo(data: object): object {
    return changed(data, this.#root) as object
  }
}

function* leavesOf(said: object, above: readonly string[]): Generator<[path: string[], value: unknown]> {
  for (const [name, value] of Object.entries(said)) {
    const path = [...above, name]
    if (isObject(value)) yield* leavesOf(value, path)
    else if (value !== undefined) yield [path, value]
  }
}

function assign(into: Parts, [name = '', ...rest]: readonly string[], value: unknown, from: string): void {
  const place = into.place === '' ? name : `${into.place}.${name}`
  const before = into.parts.get(name)
  const isInner = rest.length > 0 || isObject(value)
  if (before instanceof Value || (before && !isInner))
    throw new UsageError(`${before.from} and ${from} both give a value for “${place}”`)
  const said = isInner ? (before ?? new Parts(from, place)) : new Value(from, value)
  into.parts.set(name, said)
  if (said instanceof Value) return
  if (rest.length > 0) assign(said, rest, value, from)
  else {
    said.isWhole = true
    for (const [key, part] of Object.entries(value as object)) assign(said, [key], part, from)
  }
}

function changed(data: unknown, said: Value | Parts): unknown {
  if (said instanceof Value) return said.value
  const base = said.isWhole ? {} : (data ?? {})
  if (!isObject(base)) throw new UsageError(`${said.from}: “${said.place}” is not an object in --data`)
  const kept = Object.entries(base).map(([name, value]) => {
    const part = said.parts.get(name)
    return [name, part ? changed(value, part) : value]
  })
  const added = [...said.parts].filter(([name]) => !Object.hasOwn(base, name))
  return Object.fromEntries([...kept, ...added.map(([name, part]) => [name, changed(undefined, part)])])
}

/** Returns true for objects other than arrays and lossless numbers. */
export function isObject(value: unknown): value is object {
  return isRecord(value) && !isLosslessNumber(value)
}
