import type { Context } from './context.ts'
import type { Effect } from './effect.ts'

/** A Commander action that says what its command does. */
export type Action = ((...args: unknown[]) => Promise<void>) & { readonly effect: Effect }

/** Wraps the work of a command into a Commander action: positionals, then options, behind the context. */
export type DefineAction = <A extends unknown[]>(
  effect: Effect,
  work: (context: Context, ...args: A) => Promise<void>,
) => Action
