import { type ErrorDetails, MeetroomError, OutputError, UsageError } from '../errors.ts'
import { describeSystemError, toExhaustedHandlesError } from './system-error.ts'

interface Details extends Pick<ErrorDetails, 'hint'> {
  /** Class of the error. Defaults to `UsageError` for reads, otherwise to `OutputError`. */
  Kind?: new (
    message: string,
    details: ErrorDetails,
  ) => MeetroomError
  /** Text after the reason and a semicolon. */
  rest?: string
}

// The `to…Error` functions return a MeetroomError, and an error without a code, unchanged.

export function toReadError(name: string, error: unknown, details?: Details): unknown {
  return translate(error, `${name} cannot be read`, 'no such file', { Kind: UsageError, ...details })
}

export function toWriteError(name: string, error: unknown, details?: Details): unknown {
  return translate(error, `${name} cannot be written`, 'no such directory', details)
}

/** Translates the error of a file that is read, or created if missing. */
export function toUseError(name: string, error: unknown, details?: Details): unknown {
  return translate(error, `${name} cannot be used`, 'no such directory', details)
}

/** @param variable environment variable that selects the directory */
export function toStorageError(what: string, directory: string, error: unknown, variable = 'TMPDIR') {
  const hint = `choose another directory with ${variable}`
  return translate(error, `${what} cannot be stored in ${directory}`, 'no such directory', { hint })
}

/** @param error system error, or error of this program with a reason as its message */
export function describeWriteFailure(name: string, error: unknown): string {
  const reason =
    error instanceof MeetroomError ? error.message : describeSystemError(error, 'no such directory')
  return `${name} cannot be written: ${reason}`
}

function translate(error: unknown, failure: string, missing: string, options: Details = {}): unknown {
  const { Kind = OutputError, rest, ...details } = options
  if (error instanceof MeetroomError || (error as NodeJS.ErrnoException).code === undefined) return error
  const message = [`${failure}: ${describeSystemError(error, missing)}`, ...(rest ? [rest] : [])].join('; ')
  return toExhaustedHandlesError(error) ?? new Kind(message, { ...details, cause: error })
}
