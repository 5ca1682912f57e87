import { UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { collect, readSecret, refuseFileName } from './input.ts'

export const headerValue = [
  "'Name: value'; the value @FILE is read from a file; repeatable",
  collect,
] as const

export interface HeaderContext {
  host: Host
  addSecret(value: string): void
}

/**
 * Parses headers such as `Accept: text/plain`. Values from `@FILE` and `@-` are registered as secrets.
 * @throws {UsageError} for an invalid header or an unusable file
 */
export async function readHeaders(
  context: HeaderContext,
  flag: string,
  lines: readonly string[],
): Promise<[name: string, value: string][]> {
  const headers: [string, string][] = []
  for (const line of lines) {
    const [, name, given = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(\S.*?)?[ \t]*$/.exec(line) ?? []
    // The message does not contain the line, because the line may hold a secret.
    if (name === undefined)
      throw new UsageError(`${flag} must be 'Name: value', without a space before the colon`)
    const isFile = given.startsWith('@')
    const value = isFile ? await readSecret(`${flag} ${name}`, given, context.host) : given
    if (isFile) context.addSecret(value)
    else if (/\.\w+$/.test(given))
      await refuseFileName(`${flag} ${name} reads a file only after @`, given, context.host)
    if (!/^[\t -~]*$/.test(value))
      throw new UsageError(`${flag} ${name}: the value contains a character that no header may contain`)
    headers.push([name, value])
  }
  return headers
}
