import type { Format } from '../config-values.ts'
import type { MeetroomError } from '../errors.ts'
import type { Host } from '../host.ts'
import { formatError, formatErrorJson } from './output/errors.ts'
import { styleFor } from './output/style.ts'

export interface ReportOptions {
  json: boolean
  color: boolean
  verbose: boolean
  /** Replaced wherever they appear: a service may quote the key that it refuses. */
  secrets: readonly string[]
}

/** A text without the secrets in it. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((said, secret) => said.replaceAll(secret, '[API key]'), text)
}

export function isJson(format: Format | string | undefined): boolean {
  return format === 'json' || format === 'ndjson'
}

/** Writes an error to standard error: a line or two for people, one object in JSON modes. */
export async function reportError(host: Host, error: MeetroomError, options: ReportOptions): Promise<void> {
  const redact = (text: string) => redacted(text, options.secrets)
  const style = await styleFor(host.stderr, host.env, options.color)
  const text = options.json ? formatErrorJson(error, redact) : formatError(error, style, redact)
  const stack =
    options.verbose && error.cause instanceof Error && error.exitCode === 70 ? `${error.cause.stack}\n` : ''
  // Nowhere left to complain to when standard error is closed.
  await host.stderr.write(redact(text + stack)).catch(() => {})
}
