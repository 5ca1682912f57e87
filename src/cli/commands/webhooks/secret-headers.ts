import { UsageError } from '../../../errors.ts'
import { readSecret } from '../../input/input.ts'
import type { Context } from '../../kernel/context.ts'
import { parseRequestHeaders } from '../../requests/request-headers.ts'

/**
 * Parses headers such as `X-Token: secret` and `X-Token: @FILE`. Their values are masked in all output.
 * @returns the values by lowercase name
 * @throws {UsageError} for an invalid header or an unreadable file
 */
export async function readSecretHeaders(
  context: Context,
  flag: string,
  lines: readonly string[] = [],
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [name, given] of Object.entries(parseRequestHeaders(lines, flag))) {
    if (name.startsWith('webhook-'))
      throw new UsageError(`${flag} cannot set ${name}: meetroom sets it itself`)
    const value = await readSecret(`${flag} ${name}`, given, context.host)
    if (!/^[\t -~]*$/.test(value))
      throw new UsageError(`${flag} ${name}: the value contains a character that no header may contain`)
    context.addSecret(value)
    headers[name] = value
  }
  return headers
}
