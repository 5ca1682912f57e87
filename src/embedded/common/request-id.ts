import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const header = 'x-request-id'

/** IDs that clients may choose: at most 128 characters that are safe in logs and shells. */
const acceptable = /^[\w.:+/=@-]{1,128}$/

export function createRequestIds(): (request: IncomingMessage) => string {
  // A counter after random digits is several times faster than a random ID for each request.
  const prefix = randomBytes(6).toString('hex')
  let count = 0
  return ({ headers }) => {
    const given = headers[header]
    if (typeof given === 'string' && acceptable.test(given)) return given
    return `${prefix}-${++count}`
  }
}

export function setRequestId({ headers }: IncomingMessage, id: string): void {
  headers[header] = id
}

export function readRequestId({ headers }: IncomingMessage): string {
  return String(headers[header])
}
