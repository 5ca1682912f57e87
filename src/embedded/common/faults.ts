import { unknownOperation as unknownOperationCode } from '../../api/vocabulary.ts'

/** An error response with its status and code (API specification, sections 5 and 7). */
export class Fault extends Error {
  constructor(
    readonly status: 400 | 500 | 503,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export const invalid = (message: string) => new Fault(400, 'invalid_parameters', message)

export const unauthorized = (message = 'the API key is missing or invalid') =>
  new Fault(400, 'unauthorized', message)

/** A missing resource. The API specification has no 404. */
export const notFound = (what: string) => new Fault(400, 'not_found', `no such ${what}`)

export const unknownOperation = (what: string) =>
  new Fault(400, unknownOperationCode, `no such operation: ${what}`)

/** Converts a SQLite failure, such as a full disk or a damaged page, into an error response. */
export function storageFault(error: unknown): Fault | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  return /^(ERR_)?SQLITE_/.test(code ?? '') ? new Fault(503, 'storage', message) : undefined
}

/** Data in the workspace that this program cannot have stored, although SQLite reports no damage. */
export const damaged = () => new Fault(503, 'storage', 'database disk image is malformed')

export const forbidden = (message: string) => new Fault(500, 'validation_exception', message)
