import { readJson, writeJson } from '../../../api/json.ts'
import { secretFields } from '../../../api/resources.ts'
import type { Item } from '../views/views.ts'

/** Stands for a secret. */
export const mask = '••••'

const secretHeader = /^(set-)?cookie2?$|authorization$|(^|-)(token|secret|api-?key)$/i

/** Whether the value of a header lets its holder act as somebody. */
export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name)
}

/** Whether there is a secret in a value, however deep. */
export function holdsSecret(value: unknown): boolean {
  return finds(value, isTold)
}

/** An item without its secrets, however deep they are, but for fields that are named; itself when it has none. */
export function withoutSecrets(item: Item, named: readonly string[] = []): Item {
  const safe = replaced(item, () => true, undefined) as Item
  const kept = named.filter((field) => secretFields.has(field) && Object.hasOwn(item, field))
  return kept.length === 0
    ? safe
    : { ...safe, ...Object.fromEntries(kept.map((field) => [field, item[field]])) }
}

/** A value with its secrets masked, however deep they are; itself when it has none. */
export function masked<T>(value: T): T {
  return replaced(value, isTold, mask) as T
}

/** JSON of ours with its secrets masked. */
export function maskedJson(json: string): string {
  const value = readJson(json)
  return holdsSecret(value) ? writeJson(masked(value)) : json
}

const inText = new RegExp(
  `((?:${[...secretFields].join('|')})(?:=|\\\\*"\\s*:\\s*\\\\*"))[^\\s"'\\\\&]+`,
  'g',
)

/** Text that may quote JSON or a URL, with the secrets in it masked. */
export function maskedText(text: string): string {
  return text.replace(inText, `$1${mask}`)
}

type Test = (held: unknown) => boolean

/** Null and empty text are no secret. */
const isTold: Test = (held) => held !== null && held !== ''

function finds(value: unknown, test: Test): boolean {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Item
  for (const name in fields)
    if (secretFields.has(name) ? test(fields[name]) : finds(fields[name], test)) return true
  return false
}

/** The value with something else in place of the secrets that the test finds; nothing for undefined. */
function replaced(value: unknown, test: Test, instead: unknown): unknown {
  // Nearly always; and a number that a double cannot hold is an object, to be left as it is.
  if (!finds(value, test)) return value
  if (Array.isArray(value)) return value.map((item) => replaced(item, test, instead))
  const fields = Object.entries(value as Item).map(([name, held]) => {
    if (!secretFields.has(name)) return [name, replaced(held, test, instead)]
    return [name, test(held) ? instead : held]
  })
  return Object.fromEntries(fields.filter(([, held]) => held !== undefined))
}
