import { readJson, writeJson } from '../../../api/json.ts'
import { secretFields } from '../../../api/resources.ts'
import type { Item } from '../views/views.ts'

export const mask = '••••'

const secretHeader = /^(set-)?cookie2?$|authorization$|(^|-)(token|secret|api-?key)$/i

export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name)
}

export function holdsSecret(value: unknown): boolean {
  return finds(value, isTold)
}

/** Removes secrets at any depth, except for named fields. Returns the same item if it holds none. */
export function withoutSecrets(item: Item, named: readonly string[] = []): Item {
  const safe = replaced(item, () => true, undefined) as Item
  const kept = named.filter((field) => secretFields.has(field) && Object.hasOwn(item, field))
  return kept.length === 0
    ? safe
    : { ...safe, ...Object.fromEntries(kept.map((field) => [field, item[field]])) }
}

/** Masks secrets at any depth. Returns the same value if it holds none. */
export function masked<T>(value: T): T {
  return replaced(value, isTold, mask) as T
}

export function maskedJson(json: string): string {
  const value = readJson(json)
  return holdsSecret(value) ? writeJson(masked(value)) : json
}

const inText = new RegExp(
  `((?:${[...secretFields].join('|')})(?:=|\\\\*"\\s*:\\s*\\\\*"))[^\\s"'\\\\&]+`,
  'g',
)

export function maskedText(text: string): string {
  return text.replace(inText, `$1${mask}`)
}

type Test = (held: unknown) => boolean

/** Null and an empty text are not secrets. */
const isTold: Test = (held) => held !== null && held !== ''

function finds(value: unknown, test: Test): boolean {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Item
  for (const name in fields)
    if (secretFields.has(name) ? test(fields[name]) : finds(fields[name], test)) return true
  return false
}

function replaced(value: unknown, test: Test, instead: unknown): unknown {
  // Most values hold no secret. Also keeps lossless numbers, which are objects.
  if (!finds(value, test)) return value
  if (Array.isArray(value)) return value.map((item) => replaced(item, test, instead))
  const fields = Object.entries(value as Item).map(([name, held]) => {
    if (!secretFields.has(name)) return [name, replaced(held, test, instead)]
    return [name, test(held) ? instead : held]
  })
  return Object.fromEntries(fields.filter(([, held]) => held !== undefined))
}
