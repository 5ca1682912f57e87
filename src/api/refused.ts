import type { ErrorDetails, Hint, RequestLine } from '../errors.ts'
import type { Route } from './endpoints.ts'
import type { ErrorWords } from './error-words.ts'
import type { AnyInput } from './request.ts'
import type { Reply } from './retry.ts'
import type { Standing } from './standing.ts'

/** An answer that is not a success, with the ways to find out more about it. */
export interface Refused {
  answer: Reply
  line: RequestLine
  endpoint: Route
  input: AnyInput
  baseUrl: string
  /** Asks the cheapest question there is, once per run. */
  standing: () => Promise<Standing>
  /** Asks the same after the service denied access, once per run, whatever it answered before. */
  afterDenial: () => Promise<Standing>
  /** Whether a user exists. */
  userExists: (user_id: string) => Promise<boolean>
  /** How to find out whether a write took effect. */
  check: () => Hint
}

/** Its words and code. */
export interface ReadRefusal extends Refused {
  words: ErrorWords
  /** What the service says, after a colon; empty when it says nothing. */
  said: string
  details: ErrorDetails & { status: number; request: RequestLine }
}
