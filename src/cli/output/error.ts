import type { Format } from '../../config/values.ts'
import type { MeetroomError } from '../../errors.ts'
import type { Host, Visible } from '../../host.ts'
import { hintText } from './hint-text.ts'
import type { Redact } from './redaction/redact.ts'
import { masked } from './redaction/secrets.ts'
import type { StatusLine } from './terminal/status-line.ts'
import { type Style, styleFor } from './terminal/style.ts'
import { inAscii, isPlain } from './terminal/unicode.ts'
import { own, visible, visibleJson, visibleLines } from './terminal/visible.ts'

export interface ReportOptions {
  json: boolean
  color: boolean
  verbose: boolean
  redact: Redact
  target: readonly string[]
  statusLine?: StatusLine
  profile?: string | undefined
}

export function isJson(format: Format | string | undefined): boolean {
  return format === 'json' || format === 'ndjson'
}

/** Writes an error to standard error: as text, or as one JSON object in JSON modes. */
export async function reportError(host: Host, error: MeetroomError, options: ReportOptions): Promise<void> {
  const { redact, profile, target } = options
  const style = await styleFor(host.stderr, host.env, options.color)
  const forPeople = (said: Visible) => (isPlain(host) ? inAscii(said) : said)
  const text = options.json
    ? formatErrorJson(error, redact, target, profile)
    : forPeople(formatError(error, style, redact, target, profile))
  const stack =
    options.verbose && error.cause instanceof Error && error.exitCode === 70 ? `${error.cause.stack}\n` : ''
  const lines = own`${text}${visibleLines(redact(stack))}`
  options.statusLine?.giveWay(host.stderr, lines)
  // A closed standard error cannot be reported anywhere.
  await host.stderr.write(lines).catch(() => {})
}

/** Maximum number of characters of a message and of a quoted response body. */
const longestText = 2000
const longestBody = 4096

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text
}

function formatError(
  error: MeetroomError,
  style: Style,
  redact: Redact,
  target: readonly string[],
  profile: string | undefined,
): Visible {
  const line = (text: string) => visible(cut(redact(text)))
  const advice = hintOf(error, redact, target)
  const hint = advice ? own`${style.cyan(own`hint:`)} ${visible(advice)}\n` : own``
  const where = profile === undefined ? '' : `${profile}: `
  return own`${style.red(own`error:`)} ${line(where + error.message)}\n${hint}`
}

function formatErrorJson(
  error: MeetroomError,
  redact: Redact,
  target: readonly string[],
  profile: string | undefined,
): Visible {
  return visibleJson(`${JSON.stringify({ error: errorFacts(error, redact, target, profile) })}\n`)
}

/** Returns the hint of an error as text; undefined if its command is too long to paste. */
function hintOf({ hint }: MeetroomError, redact: Redact, target: readonly string[]): string | undefined {
  if (hint === undefined) return undefined
  const text = hintText(hint, target, redact)
  return typeof hint === 'string' || text.length <= longestText ? cut(text) : undefined
}

export function errorFacts(
  error: MeetroomError,
  redact: Redact,
  target: readonly string[],
  profile?: string,
): Readonly<Record<string, unknown>> {
  const { code, message, status, retryable, accepted, request, body } = error
  return {
    profile,
    code,
    message: cut(redact(message)),
    hint: hintOf(error, redact, target),
    status,
    retryable,
    accepted,
    request: redactedJson(request, redact),
    body: quoted(redactedJson(masked(body), redact)),
  }
}

function redactedJson(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => redactedJson(item, redact))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactedJson(item, redact)]),
  )
}

function quoted(body: unknown): unknown {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  if (text.length <= longestBody) return body
  return `${text.slice(0, longestBody).toWellFormed()}… (cut off: ${text.length} characters in all)`
}
