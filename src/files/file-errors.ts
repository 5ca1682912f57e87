import {
  describeSystemError,
  type Hint,
  MeetroomError,
  OutputError,
  toExhaustedHandlesError,
  UsageError,
} from '../errors.ts'

interface Details {
  hint?: Hint
}

/** Translates a system error of reading a file. Returns other errors unchanged. */
export function toReadError(name: string, error: unknown, details: Details = {}): unknown {
  if (!isSystemError(error)) return error
  const message = `${name} cannot be read: ${describeSystemError(error)}`
  return toExhaustedHandlesError(error) ?? new UsageError(message, { ...details, cause: error })
}

/** Translates a system error of writing a file. Returns other errors unchanged. */
export function toWriteError(name: string, error: unknown, details: Details = {}): unknown {
  if (!isSystemError(error)) return error
  const message = `${name} cannot be written: ${describeSystemError(error, 'no such directory')}`
  return toExhaustedHandlesError(error) ?? new OutputError(message, { ...details, cause: error })
}

const isSystemError = (error: unknown) =>
  !(error instanceof MeetroomError) && (error as NodeJS.ErrnoException).code !== undefined
