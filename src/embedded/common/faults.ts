import { unknownOperation as unknownOperationCode } from '../../api/vocabulary.ts'
import { describeSystemError } from '../../files/system-error.ts'

/** Error response. The API specification (“Errors”) lists only the statuses 400 and 500. */
export class Fault extends Error {
  constructor(
    readonly status: 400 | 429 | 500 | 503,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

const storage = 'storage'

export const invalid = (message: string) => new Fault(400, 'invalid_parameters', message)

/** Creates the error for an unprocessed request, which clients can retry. */
export const busy = (message: string) => new Fault(429, 'too_many_requests', message)

export const unauthorized = (message = 'the API key is missing or invalid') =>
  new Fault(400, 'unauthorized', message)

/** Uses status 400, because the API specification has no 404. */
export const notFound = (what: string) => new Fault(400, 'not_found', `no such ${what}`)

/** @param nearest operation that was probably meant, if known */
export const unknownOperation = (what: string, nearest?: string) =>
  new Fault(
    400,
    unknownOperationCode,
    `no such operation: ${what}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
  )

/** Converts a storage failure to an error response; undefined for other errors. */
export function toStorageFault(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error.code === storage ? error : undefined
  const { code, message } = error as NodeJS.ErrnoException
  // libsql names some failures UNKNOWN_SQLITE_ERROR, followed by a number.
  if (!/SQLITE_/.test(code ?? '')) return undefined
  const [, reason = 'the workspace cannot be read or written'] =
    storageReasons.find(([pattern]) => pattern.test(message)) ?? []
  return new Fault(503, storage, reason)
}

export function describeFailure(error: unknown): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException
  const fault = toStorageFault(error)
  if (fault) return fault.message
  return /^E[A-Z]+$/.test(code) ? describeSystemError(error, 'no such directory') : undefined
}

const damageMessage = 'the workspace is damaged'

const storageReasons: readonly (readonly [RegExp, string])[] = [
  [/disk is full/, 'the disk is full'],
  [/malformed|not a database|cannot hold BLOB/, damageMessage],
  [/locked|busy/, 'another program uses the workspace'],
  [/readonly/, 'the workspace is read-only'],
  [/unable to open/, 'the database file of the workspace cannot be opened'],
  [/I\/O error/, 'the disk cannot be read or written'],
]

/** Creates the error for data that this program cannot have written, if SQLite reports no damage. */
export const damaged = () => new Fault(503, storage, damageMessage)

/** Returns true for damage, which a retry cannot resolve. */
export const isDamage = (error: unknown) => toStorageFault(error)?.message === damageMessage

/** Creates the error for database files to which writes would be lost. */
export const fileLost = () =>
  new Fault(
    503,
    storage,
    'the database file of the workspace was deleted, replaced or truncated while it was in use',
  )

export const forbidden = (message: string) => new Fault(500, 'validation_exception', message)
