import type { Context } from './context.ts'
import type { Effect } from './effect.ts'

/** Creates the action of a command for Commander. */
export type DefineAction = <A extends unknown[]>(
  effect: Effect,
  work: (context: Context, ...args: A) => Promise<void>,
) => (...args: unknown[]) => Promise<void>
