import { isJson } from '../../config/values.ts'
import type { MeetroomError } from '../../errors.ts'
import type { Host, Visible } from '../../host.ts'
import { formatHintText } from './hint-text.ts'
import { maskSecrets, type Redact } from './redaction/redaction.ts'
import type { PrintedError } from './schemas/errors.ts'
import type { StatusLine } from './terminal/status-line.ts'
import { type Style, selectStyle } from './terminal/style.ts'
import { isAsciiOnly, toAscii } from './terminal/unicode.ts'
import { own, visible, visibleJson, visibleLines } from './terminal/visible.ts'

interface ErrorContext {
  redact: Redact
  target: readonly string[]
  profile?: string | undefined
}

interface ReportOptions extends ErrorContext {
  format: string | undefined
  color: boolean
  verbose: boolean
  statusLine?: StatusLine
}

export async function reportError(host: Host, error: MeetroomError, options: ReportOptions): Promise<void> {
  const style = await selectStyle(host.stderr, host.env, options.color)
  const forPeople = (said: Visible) => (isAsciiOnly(host) ? toAscii(said) : said)
  const text = isJson(options.format)
    ? visibleJson(`${JSON.stringify({ error: errorToRecord(error, options) })}\n`)
    : forPeople(formatError(error, style, options))
  const stack =
    options.verbose && error.cause instanceof Error && error.exitCode === 70 ? `${error.cause.stack}\n` : ''
  const lines = own`${text}${visibleLines(options.redact(stack))}`
  options.statusLine?.hideDuring(host.stderr, lines)
  // A failure of standard error cannot be reported anywhere.
  await host.stderr.write(lines).catch(() => {})
}

const maxTextLength = 2000
const maxBodyLength = 4096

function truncateText(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text
}

function formatError(error: MeetroomError, style: Style, context: ErrorContext): Visible {
  const { redact, profile } = context
  const line = (text: string) => visible(truncateText(redact(text)))
  const advice = formatHint(error, context)
  const hint = advice ? own`${style.cyan(own`hint:`)} ${visible(advice)}\n` : own``
  const where = profile === undefined ? '' : `${profile}: `
  const id =
    error.requestId === undefined ? own`` : own`${style.dim(own`request ID:`)} ${line(error.requestId)}\n`
  return own`${style.red(own`error:`)} ${line(where + error.message)}\n${hint}${id}`
}

/** Omits a hint whose commands would be truncated. */
function formatHint(error: MeetroomError, { redact, target }: ErrorContext): string | undefined {
  const { hint } = error
  if (hint === undefined) return undefined
  const text = formatHintText(hint, error.target ?? target, redact)
  return typeof hint === 'string' || text.length <= maxTextLength ? truncateText(text) : undefined
}

export function errorToRecord(error: MeetroomError, context: ErrorContext): PrintedError {
  const { redact, profile } = context
  const { code, message, status, retryable, accepted, createdId, request, requestId, body } = error
  return {
    profile,
    code,
    message: truncateText(redact(message)),
    hint: formatHint(error, context),
    status,
    retryable,
    accepted: accepted || undefined,
    created_id: createdId === undefined ? undefined : redact(createdId),
    request: redactJson(request, redact) as PrintedError['request'],
    request_id: requestId === undefined ? undefined : redact(requestId),
    body: truncateBody(redactJson(maskSecrets(body), redact)),
  }
}

function redactJson(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactJson(item, redact)]),
  )
}

function truncateBody(body: unknown): unknown {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  if (text.length <= maxBodyLength) return body
  return `${text.slice(0, maxBodyLength).toWellFormed()}… (cut off: ${text.length} characters in all)`
}
