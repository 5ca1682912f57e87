import * as z from 'zod'
import * as classes from '../../../errors.ts'
import { BugError } from '../../../errors.ts'

const codes = [...Object.values(classes), BugError].flatMap((value) =>
  isErrorClass(value) ? [new value('SIGINT').code] : [],
)

type ErrorClass = new (why: 'SIGINT') => classes.MeetroomError

function isErrorClass(value: unknown): value is ErrorClass {
  return (
    typeof value === 'function' &&
    value !== classes.MeetroomError &&
    value.prototype instanceof classes.MeetroomError
  )
}

/** Error on standard error in JSON modes. A command may print several. */
export const errorSchema = z.object({
  error: z.object({
    profile: z.string().optional().describe('the profile, with --all-profiles'),
    code: z.enum([...new Set(codes)]).describe('error code, for programs'),
    message: z.string().describe('error message, for people'),
    hint: z.string().optional().describe('how to resolve the error'),
    status: z.int().optional().describe('HTTP status of the response, if there was one'),
    retryable: z.boolean().describe('true if the same command may succeed later'),
    accepted: z
      .literal(true)
      .optional()
      .describe('the service accepted a POST that cannot be repeated, but its outcome is unknown'),
    created_id: z
      .string()
      .optional()
      .describe('ID of an item that the service created, although it shows other values than requested'),
    request: z.object({ method: z.string(), path: z.string() }).optional().describe('the request'),
    request_id: z.string().optional().describe('X-Request-Id of the response, if there was one'),
    body: z.unknown().optional().describe('the response body; cut off if it is long'),
  }),
})

export type PrintedError = z.output<typeof errorSchema>['error']
