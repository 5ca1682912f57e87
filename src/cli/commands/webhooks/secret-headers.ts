import { UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { readRequestHeaders } from '../../requests/request-headers.ts'

/**
 * Masks long header values in output.
 * @returns the values by lowercase name
 * @throws {UsageError} for an invalid header or an unreadable file
 */
export async function readSecretHeaders(
  context: Context,
  flag: string,
  lines: readonly string[] = [],
): Promise<Record<string, string>> {
  const headers = await readRequestHeaders(context, flag, lines)
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('webhook-'))
      throw new UsageError(`${flag} cannot set ${name}, which meetroom sets itself`)
    if (value === '') throw new UsageError(`${flag} ${name}: the value is empty`)
    context.addSecret(value)
  }
  return headers
}
