import { readJson, writeJson } from '../../../api/json.ts'
import { secretFields } from '../../../api/resources.ts'
import type { Item } from '../views/views.ts'

export const mask = '••••'

const secretHeader = /^(set-)?cookie2?$|authorization$|(^|-)(token|secret|api-?key)$/i

export const isSecretHeader = (name: string): boolean => secretHeader.test(name)

export const holdsSecret = (value: unknown): boolean => containsSecret(value, isPresent)

/** Removes secrets at any depth, except the top-level fields in `named`. */
export function removeSecrets(item: Item, named: readonly string[] = []): Item {
  const safe = replaceSecrets(item, () => true, undefined) as Item
  const kept = named.filter((field) => secretFields.has(field) && Object.hasOwn(item, field))
  return kept.length === 0
    ? safe
    : { ...safe, ...Object.fromEntries(kept.map((field) => [field, item[field]])) }
}

/** Returns the same value if it contains no secret. */
export function maskSecrets<T>(value: T): T {
  return replaceSecrets(value, isPresent, mask) as T
}

export function maskJson(json: string): string {
  const value = readJson(json)
  return holdsSecret(value) ? writeJson(maskSecrets(value)) : json
}

const secretNames = [...secretFields].join('|')
// A placeholder of a link template is not a secret.
const tokenPattern = new RegExp(
  `((?:${secretNames})(?:=|\\\\*"\\s*:\\s*\\\\*"))(?!\\{(?:${secretNames})\\})[^\\s"'\\\\&]+`,
  'g',
)

export const maskText = (text: string): string => text.replace(tokenPattern, `$1${mask}`)

type Test = (value: unknown) => boolean

const isPresent: Test = (value) => value !== null && value !== ''

function containsSecret(value: unknown, test: Test): boolean {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Item
  for (const name in fields)
    if (secretFields.has(name) ? test(fields[name]) : containsSecret(fields[name], test)) return true
  return false
}

function replaceSecrets(value: unknown, test: Test, instead: unknown): unknown {
  // Most values contain no secret. The check also keeps lossless numbers, which are objects, unchanged.
  if (!containsSecret(value, test)) return value
  if (Array.isArray(value)) return value.map((item) => replaceSecrets(item, test, instead))
  const fields = Object.entries(value as Item).map(([name, value]) => {
    if (!secretFields.has(name)) return [name, replaceSecrets(value, test, instead)]
    return [name, test(value) ? instead : value]
  })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}
