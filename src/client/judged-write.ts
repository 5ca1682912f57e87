import { type Endpoint, endpoints, type OperationName, type Route } from '../api/endpoints.ts'
import { readResponseValue } from '../api/json.ts'
import { ApiError, NotAppliedError, type RequestLine, UnknownOutcomeError } from '../errors.ts'
import { describeErrorResponse } from './error-message.ts'
import { type ParsedResponse, quoteBody, type ResponseBody } from './parsed-response.ts'
import { type AnyInput, checkHint } from './request.ts'
import type { FinalResponse } from './retry.ts'
import { type Before, judgeResponse } from './verdict.ts'

export { createDeletionResponse, isReadable, prove, settleNow } from './proof.ts'

interface Write {
  name: OperationName | undefined
  route: Route
  input: AnyInput
  line: RequestLine
  response: FinalResponse
  received: ParsedResponse
  before: Before
}

/**
 * @returns `isShown`: true if the response shows the written item
 * @throws {ApiError | NotAppliedError | UnknownOutcomeError} for every verdict except `done`
 */
export function judgeWrite({ name, route, input, line, response, received, before }: Write) {
  const endpoint: Endpoint | undefined = name && endpoints[name]
  const verdict = judgeResponse(endpoint, input, received, before)
  if (verdict.is === 'done')
    return {
      response: nameItem(endpoint, received, verdict.item),
      isShown: verdict.item !== undefined,
      remarks: verdict.remarks,
    }
  const { status } = received
  const hint = checkHint(endpoint ?? route, input)
  const details = { status, request: line, body: quoteBody(received) }
  switch (verdict.is) {
    case 'refused': {
      const { message } = describeErrorResponse(response)
      const text = `the service refuses the request (${status})${message === undefined ? '' : `: ${message}`}`
      if (!response.afterLostAttempt) throw new ApiError(text, details)
      const doubt = `${text}; an earlier attempt got no response and may have made the change`
      throw new UnknownOutcomeError(doubt, { ...details, hint })
    }
    case 'not applied':
      throw new NotAppliedError(`the response (${status}) contradicts the request: ${verdict.problem}`, {
        ...details,
        hint,
        createdId: verdict.createdId,
      })
    default: {
      const { problem, createdId } = verdict
      const possibleId = verdict.is === 'open' ? verdict.possibleId : undefined
      const created = createdId === undefined ? '' : `; it created ${createdId}`
      const doubt = `the response (${status}) does not show whether the change was made: ${problem}${created}`
      throw new UnknownOutcomeError(doubt, {
        ...{ ...details, hint, createdId, possibleId, isFinal: verdict.is === 'unknown' },
        accepted: route.method === 'POST' && !route.repeatable,
      })
    }
  }
}

/** Puts the item, if any, under its name in `value`. The bytes stay unchanged. */
function nameItem(endpoint: Endpoint | undefined, received: ParsedResponse, item: unknown): ResponseBody {
  if (received.isEmpty) return { ...received, value: {} }
  if (!endpoint || item === undefined || Object(received.value)[endpoint.result]) return received
  const value = readResponseValue(received) as object
  return { ...received, value: { ...value, [endpoint.result]: item }, isPlain: true }
}
