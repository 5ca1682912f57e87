import type { Context } from './context.ts'
import type { Effect } from './effect.ts'

export type Action = ((...args: unknown[]) => Promise<void>) & { readonly effect: Effect }

export type DefineAction = <A extends unknown[]>(
  effect: Effect,
  work: (context: Context, ...args: A) => Promise<void>,
) => Action
