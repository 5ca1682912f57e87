import { resolve } from 'node:path'
import encodeUrlOnce from 'encodeurl'
import { isUrl } from '../../api/is-url.ts'
import { parseGivenJson, readJson } from '../../api/json.ts'
import { type DurationRange, parseDuration } from '../../duration.ts'
import { type ErrorDetails, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { refuseOtherText } from './id-arguments.ts'
import { findNearJson } from './near-json.ts'
import { findNearUrl } from './near-url.ts'
import { readStdin } from './stdin.ts'
import { trimWhiteSpace } from './white-space.ts'

/** Properties of a flag's parser that `meetroom commands` lists. */
export interface FlagKind {
  readonly kind?: 'integer' | 'number'
  readonly repeatable?: true
}

/** Returns a parser that accepts only decimal digits, because `1e3`, `-1` and `0x10` may be typing errors. */
export function createIntegerParser(
  flag: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
  details?: ErrorDetails,
): ((text: string) => number) & FlagKind {
  const parse = (text: string) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) {
      const range = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `from ${min} to ${max}`
      throw new UsageError(`${flag} must be a whole number, ${range}, not “${text}”`, details)
    }
    return value
  }
  return Object.assign(parse, { kind: 'integer' } as const)
}

export function createDurationParser(flag: string, range: DurationRange): (text: string) => number {
  return (text) => parseDuration(text, range, flag)
}

/** Returns a parser of whole seconds, which may be written as a duration: `2700` or `45m`. */
export function createSecondsParser(flag: string): ((text: string) => number) & FlagKind {
  const parse = (text: string) => {
    const isNumber = /^[1-9]\d{0,15}$/.test(text)
    const seconds = isNumber ? Number(text) : parseDuration(text, { least: 1000 }, flag) / 1000
    if (!Number.isSafeInteger(seconds)) throw new UsageError(`${flag} must be whole seconds, not “${text}”`)
    return seconds
  }
  return Object.assign(parse, { kind: 'integer' } as const)
}

/**
 * Parses the file of an HTML page.
 * @throws {UsageError} for the name of another kind of file, such as `report.pdf`
 */
export function parseHtmlFile(file: string): string {
  const renamed = file.replace(/\.(?!html?$)[a-z]{2,5}$/i, '.html')
  if (renamed === file) return file
  throw new UsageError(`--html writes an HTML page, not “${file}”`, { correction: [file, renamed] })
}

export const collect = collectParsed((value) => value)

export function collectParsed<T>(
  read: (value: string) => T,
): ((value: string, previous?: readonly T[]) => T[]) & FlagKind {
  const parse = (value: string, previous: readonly T[] = []) => [...previous, read(value)]
  return Object.assign(parse, { repeatable: true } as const)
}

/** Returns a parser that encodes URLs, but not twice (API specification, “What the service does”). */
export function createUrlParser(flag: string): (text: string) => string {
  return (text) => {
    const near = findNearUrl(text)
    const invalid = () =>
      new UsageError(
        `${flag} must be a complete URL such as https://host/path, not “${text}”`,
        near === undefined ? {} : { correction: [text, near] },
      )
    // `localhost:3000` looks like a URL with a scheme.
    if (!isUrl(text) || near !== undefined) throw invalid()
    // The package encodeurl does not encode these characters.
    const url = encodeUrlOnce(convertHost(text.trim())).replace(/[\\^|]/g, encodeURIComponent)
    if (!isUrl(url)) throw invalid()
    return url
  }
}

function convertHost(url: string): string {
  return url.replace(/^(https?:\/\/(?:[^/?#\\@]*@)?)([^/?#\\@:]*)/i, (whole, start: string, host: string) =>
    /[^\x21-\x7e]|%/.test(host) ? start + new URL(url).hostname : whole,
  )
}

export function createWebUrlParser(flag: string): (text: string) => string {
  const encode = createUrlParser(flag)
  return (text) => {
    const url = encode(text)
    if (!/^https?:/i.test(url)) throw new UsageError(`${flag} must be an http or https URL, not “${text}”`)
    return url
  }
}

/**
 * Parses `WxH`. The API specification does not specify the unit.
 * @throws {UsageError} for malformed text
 */
export function parseSize(text: string): { width: number; height: number } {
  const [, width, height] = /^(\d+(?:\.\d+)?)[x\u00d7](\d+(?:\.\d+)?)$/i.exec(text) ?? []
  if (width === undefined)
    throw new UsageError(`--size must be WIDTHxHEIGHT, such as 1280x720, not “${text}”`)
  return { width: Number(width), height: Number(height) }
}

export async function readData(data: string, host: Host): Promise<unknown> {
  const file = data === '-' ? data : data.startsWith('@') ? data.slice(1) : undefined
  if (/^[\w./~-]+\.(json|ya?ml|txt)$/i.test(data))
    throw new UsageError(`--data is not valid JSON: “${data}” looks like a file`, {
      correction: [data, `@${data}`],
    })
  const text = file === undefined ? data : await readFileOrStdin('--data', file, host)
  try {
    return parseGivenJson(text, file === undefined || file === '-' ? '--data' : `--data ${data}`, readJson)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    if (file === undefined) await refuseFileName(error.message, data, host)
    const near = file === undefined ? findNearJson(data) : undefined
    throw near === undefined ? error : new UsageError(error.message, { correction: [data, near] })
  }
}

/** @throws {UsageError} if the value is the name of a file; `@` is probably missing */
export async function refuseFileName(what: string, given: string, host: Host): Promise<void> {
  if (await isFile(given, host))
    throw new UsageError(`${what}; ${given} is a file`, { correction: [given, `@${given}`] })
}

export async function isFile(path: string, { cwd }: Host): Promise<boolean> {
  const { stat } = await import('node:fs/promises')
  return stat(resolve(cwd, path)).then(
    (found) => found.isFile(),
    () => false,
  )
}

/**
 * Reads a secret from the text itself, from `@FILE`, or from standard input with `@-`.
 * @throws {UsageError} for an empty or unreadable secret, and a file name without `@`
 */
export async function readSecret(flag: string, given: string, host: Host): Promise<string> {
  const file = given.startsWith('@') ? given.slice(1) : undefined
  if (file === '') throw new UsageError(`${flag}: the file name after @ is empty`)
  if (file === undefined) await refuseFileName(`${flag} reads a file only after @`, given, host)
  const secret = file === undefined ? given : (await readFileOrStdin(flag, file, host)).trim()
  const what = file === '-' ? 'standard input' : (file ?? 'the secret')
  if (secret === '') throw new UsageError(`${flag}: ${what} is empty`)
  return secret
}

async function readFileOrStdin(flag: string, file: string, host: Host): Promise<string> {
  if (file === '-') return readStdinText(host)
  const { readInput } = await import('../../files/input-file.ts')
  const name = `${flag}: ${file}`
  return decode(await readInput(file, host, { name }), name)
}

export async function readStdinText(host: Host): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of readStdin(host)) chunks.push(chunk)
  return decode(Buffer.concat(chunks), 'standard input')
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${what} is not valid UTF-8`)
  }
}

/** Returns the IDs without duplicates. `-` is replaced by the IDs on standard input, one per line. */
export async function readIds(ids: readonly string[], host: Host): Promise<string[]> {
  const lines = ids.includes('-') ? (await readStdinText(host)).split(/\r?\n/).map(trimWhiteSpace) : []
  for (const line of lines) refuseOtherText('standard input', line)
  const all = ids.flatMap((id) => (id === '-' ? lines.filter((line) => line !== '') : [id]))
  return [...new Set(all)]
}
