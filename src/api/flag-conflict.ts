import { type ErrorDetails, UsageError } from '../errors.ts'

export function createFlagConflict(
  one: string,
  other: string,
  { because, ...details }: ErrorDetails & { because?: string } = {},
): UsageError {
  const reason = because === undefined ? '' : `, because ${because}`
  return new UsageError(`${one} and ${other} cannot be used together${reason}`, details)
}
