import { endpoints, type OperationName, type Route } from '../api/endpoints.ts'
import {
  ApiError,
  type MeetroomError,
  NotAppliedError,
  type RequestLine,
  UnknownOutcomeError,
} from '../errors.ts'
import { type Change, quoted } from './differences.ts'
import { describeErrorResponse } from './error-message.ts'
import { type ParsedResponse, quoteBody } from './parsed-response.ts'
import { type AnyInput, checkHint } from './request.ts'
import type { FinalResponse } from './retry.ts'
import { judgeWrite, type WriteOutcome } from './write-outcome.ts'

export interface AcceptedWrite {
  name: OperationName | undefined
  route: Route
  input: AnyInput
  line: RequestLine
  response: FinalResponse
  received: ParsedResponse
}

/** Remark about the response to a write, printed for people. */
export interface Remark {
  /** Subject of the remark. Only the first remark of each subject is printed in full. */
  about: string
  text: string
}

/**
 * Requires proof of the change in the response to a write.
 * @returns the remarks; `isShown` is true if the response shows the written item
 * @throws {ApiError} when the body reports an error
 * @throws {NotAppliedError} when the body contradicts the request
 * @throws {UnknownOutcomeError} when the body proves nothing or lacks the ID of a created item
 */
export function requireDone(write: AcceptedWrite): { isShown: boolean; remarks: readonly Remark[] } {
  const outcome = judgeWrite(write.name, write.input, write.received)
  if (outcome.status !== 'done') throw createError(write, outcome)
  const { isShown, hasError, changes } = outcome
  if (!hasError) return { isShown, remarks: changes.map(createRemark) }
  const remark = { about: 'error', text: `the response carries an error as well${formatMessage(write)}` }
  return { isShown, remarks: [remark, ...changes.map(createRemark)] }
}

/** Creates a remark. The values of an unlisted field are omitted, because they may be secret. */
function createRemark({ field, sent, received, isListed }: Change): Remark {
  const values = isListed ? `: ${quoted(received)}, not ${quoted(sent)}` : ''
  return { about: field, text: `the response has another value of ${field}${values}` }
}

function createError(
  write: AcceptedWrite,
  outcome: Exclude<WriteOutcome, { status: 'done' }>,
): MeetroomError {
  const { name, route, input, line, response, received } = write
  const { status } = received
  const hint = checkHint(name ? endpoints[name] : route, input)
  const details = { status, request: line, body: quoteBody(received) }
  switch (outcome.status) {
    case 'refused': {
      const message = `the service refuses the request (${status})${formatMessage(write)}`
      // An earlier attempt whose response was lost may have deleted the item.
      return route.method === 'DELETE' && response.afterLostAttempt
        ? new UnknownOutcomeError(`${message}; an earlier attempt got no response and may have deleted it`, {
            ...details,
            hint,
          })
        : new ApiError(message, details)
    }
    case 'not applied': {
      const { contradictions, createdId } = outcome
      const made = createdId === undefined ? '' : `; it created ${createdId}`
      return new NotAppliedError(
        `the service responded with ${status}, but its response contradicts the request: ${contradictions.join(', ')}${made}`,
        { ...details, hint, createdId },
      )
    }
    case 'unknown':
      return outcome.accepted
        ? new UnknownOutcomeError(
            `the service accepted it, but its response cannot be read: ${outcome.problem}`,
            { ...details, hint, accepted: true },
          )
        : new UnknownOutcomeError(
            `the service responded with ${status}, but its response does not show whether the change was made: ${outcome.problem}`,
            { ...details, hint },
          )
  }
}

function formatMessage({ response }: AcceptedWrite): string {
  const { message } = describeErrorResponse(response)
  return message === undefined ? '' : `: ${message}`
}
