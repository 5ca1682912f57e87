import { shortestKey } from '../../config.ts'
import { maskedText } from './secrets.ts'

/** Takes secrets out of a text. Before anything is cut off: part of a secret would no longer be found. */
export type Redact = (text: string) => string

/**
 * Finds secrets however a service spells them: as they are, percent-encoded, escaped in JSON or in JSON within JSON, and
 * in base64. All at once, so that what takes the place of a secret is not searched itself. Shorter keys than there should
 * be are left alone: they are in ordinary words, too. Access tokens are found by the name of their field.
 * @param instead stands for a secret
 */
export function redactor(secrets: readonly string[], instead = '[API key]'): Redact {
  const hidden = secrets.filter(({ length }) => length >= shortestKey).sort((a, b) => b.length - a.length)
  if (hidden.length === 0) return maskedText
  const pattern = new RegExp(hidden.flatMap(spellings).join('|'), 'g')
  return (text) => maskedText(text.replace(pattern, instead))
}

/** Patterns that find a secret. Where several do, the first is the one that finds most. */
function spellings(secret: string): string[] {
  return [
    ...[0, 1, 2].map((offset) => inBase64(secret, offset)),
    each(secret, (character) => asInJson(character, escapedInJson)),
    each(secret, (character) => asInJson(character, (text) => text)),
    each(secret, asInUrl),
  ]
}

function each(text: string, patternOf: (character: string) => string): string {
  return Array.from(text, patternOf).join('')
}

function escapedInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/**
 * A character of JSON may be escaped without need.
 * @param outer what JSON around that JSON makes of it
 */
function asInJson(character: string, outer: (text: string) => string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
  const escaped = units.map((unit) => `${literal(outer('\\u'))}${hex(unit, 4)}`).join('')
  const optional = character === '/' ? `(?:${literal(outer('\\'))})?` : ''
  return `(?:${escaped}|${optional}${literal(outer(escapedInJson(character)))})`
}

/** A character of a URL may be encoded without need, and so may be the percent sign of that. */
function asInUrl(character: string): string {
  const encoded = Array.from(Buffer.from(character), (byte) => `%(?:25)?${hex(byte, 2)}`).join('')
  return `(?:${encoded}|${literal(character)})`
}

/**
 * In base64 a secret looks different by what stands before it.
 * @param offset how many bytes of a group of three stand before it
 */
function inBase64(secret: string, offset: number): string {
  const bytes = Buffer.from('\0'.repeat(offset) + secret)
  const letters = bytes.toString('base64')
  // The first and the last letter may hold bits of what is around.
  const start = offset === 0 ? 0 : offset + 1
  const end = Math.floor((bytes.length * 8) / 6)
  const inner = letters.slice(start, end).replaceAll('+', '[+-]').replaceAll('/', '[/_]')
  const first = offset === 0 ? '' : '[\\w+/-]'
  const last = bytes.length % 3 === 0 ? '' : '[\\w+/-]?=*'
  return first + inner + last
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** Hexadecimal digits in either case. */
function hex(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
