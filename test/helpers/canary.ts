import { randomBytes } from 'node:crypto'

const random = (bytes = 12) => randomBytes(bytes).toString('hex')

/** Generators of keys whose halves are random, so that no other text contains a half. */
export const keyShapes = {
  usual: () => `mk_${random(24)}`,
  'with quotes': () => `"${random()}"'${random()}"`,
  'with backslashes': () => `\\${random()}\\\\${random()}\\`,
  'with percent signs': () => `%${random()}%41${random()}%`,
  'with slashes, brackets and an ampersand': () => `/<${random()}/&b>${random()}/`,
  'with commas, semicolons and colons': () => `${random()};,:${random()};`,
  'in base64': () => `${randomBytes(30).toString('base64')}+/==`,
  'with the letters of a pattern': () => `^(${random()}.*)+[${random()}]$`,
  'with blanks at its ends': () => ` \t${random()}${random()} \n`,
  'with blanks inside, which no header can carry': () => `${random()} ${random()}`,
  'not in ASCII, which no header can carry': () => `schlüssel-${random()}-鍵-${random()}`,
} as const

export type KeyShape = keyof typeof keyShapes

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const html = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Encodings in which a service may return a key. */
export const spellings: readonly ((key: string) => string)[] = [
  (key) => key,
  json,
  (key) => json(json(key)),
  (key) =>
    [...Buffer.from(key, 'utf16le').swap16().toString('hex').matchAll(/..../g)]
      .map(([unit]) => `\\u${unit}`)
      .join(''),
  encodeURIComponent,
  (key) => encodeURIComponent(encodeURIComponent(key)),
  html,
  ...[0, 1, 2].map((before) => (key: string) => Buffer.from('u:'.slice(0, before) + key).toString('base64')),
  (key) => Buffer.from(key).toString('base64url'),
]

/**
 * Returns the URL-safe base64 of a text after 0, 1 and 2 other bytes, without characters that can depend on
 * other text.
 */
const base64Cores = (text: string) =>
  [0, 1, 2].map((before) => {
    const letters = Buffer.from('\0'.repeat(before) + text).toString('base64')
    return letters
      .slice(before === 0 ? 0 : before + 1)
      .replace(/.?=*$/, '')
      .replaceAll('+', '-')
      .replaceAll('/', '_')
  })

/** Returns a function that finds plain and encoded parts of the key in a text. */
export function tracesOf(key: string): (text: string) => string[] {
  const whole = key.trim()
  const middle = whole.length >> 1
  const words = whole.match(/[a-z\d]{12,}/gi) ?? []
  const parts = [...new Set([whole, whole.slice(0, middle), whole.slice(middle), ...words])]
  const plain = new Set(parts.flatMap((part) => spellings.slice(0, 7).map((spell) => spell(part))))
  const encoded = parts.flatMap(base64Cores)
  return (text) => {
    const forUrls = text.replaceAll('+', '-').replaceAll('/', '_')
    return [
      ...[...plain].filter((trace) => text.includes(trace)),
      ...encoded.filter((trace) => forUrls.includes(trace)),
    ]
  }
}
