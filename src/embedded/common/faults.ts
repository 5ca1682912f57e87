import { unknownOperation as unknownOperationCode } from '../../api/vocabulary.ts'

/** An answer that is not a success: its status (section 7) and the body `{"error":{"code","message"}}`. */
export class Fault extends Error {
  constructor(
    readonly status: 400 | 500 | 503,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** Section 7: invalid parameters supplied. */
export const invalid = (message: string) => new Fault(400, 'invalid_parameters', message)

/** Section 5: a missing, invalid or unauthorized token yields status 400. */
export const unauthorized = (message = 'the API key is missing or invalid') =>
  new Fault(400, 'unauthorized', message)

/** The document has no 404. */
export const notFound = (what: string) => new Fault(400, 'not_found', `no such ${what}`)

/** The API has no operation with this method and path: the base URL of the caller is probably wrong. */
export const unknownOperation = (what: string) =>
  new Fault(400, unknownOperationCode, `no such operation: ${what}`)

/** What a failure of SQLite is answered with: a full disk, a damaged page, another process in the way for too long. */
export function storageFault(error: unknown): Fault | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  return /^(ERR_)?SQLITE_/.test(code ?? '') ? new Fault(503, 'storage', message) : undefined
}

/** Something in the workspace is not what was stored there, though SQLite has not noticed. */
export const damaged = () => new Fault(503, 'storage', 'database disk image is malformed')

/** Section 7: validation exception, for a request that is well formed but breaks a rule. */
export const forbidden = (message: string) => new Fault(500, 'validation_exception', message)
