import type * as z from 'zod'
import type { Endpoint } from './endpoints.ts'

/** An operation of the API: inert data from which client, commands, embedded service and OpenAPI document derive. */
export interface Operation extends Endpoint {
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly response: z.ZodObject
}

type Part<O, K extends 'params' | 'query' | 'body'> = O extends {
  readonly [P in K]: infer S extends z.ZodType
}
  ? { [P in K]: K extends 'query' ? z.output<S> : z.input<S> }
  : unknown

/** What a caller hands to an operation: path parameters, query and body, each on its own. */
export type Input<O> = Part<O, 'params'> & Partial<Part<O, 'query'>> & Part<O, 'body'>

/** What an operation answers. */
export type Output<O extends Operation> = z.output<O['response']>
