import type { Pass } from './pass.ts'

export const maxPasses = 3

export interface Reading {
  passes: readonly Pick<Pass, 'ids' | 'total' | 'hasChanged' | 'hasRepeats' | 'end' | 'problem'>[]
  /** Number of different IDs in all passes. */
  listed: number
  /** Number of IDs that only the last pass contains. */
  added: number
  start: number
  /** True if the command may write. */
  isHeld: boolean
}

/**
 * Verdict on the passes over a list. `repeated`: all passes reach the total, but with repeated items.
 * `short`: a pass ends before the total. `unsettled`: no other verdict is proven.
 */
export type Verdict = 'whole' | 'again' | 'repeated' | 'short' | 'unsettled'

export function judgeReading({ passes, listed, added, start, isHeld }: Reading): Verdict {
  const pass = passes.at(-1)
  if (!pass || pass.problem !== undefined) return 'unsettled'
  const isFirst = passes.length === 1
  const expected = countExpected(pass.total, start)
  if (expected === undefined) {
    const agrees = added === 0 && pass.ids.size === listed
    if (!pass.hasChanged && (isFirst ? !pass.hasRepeats : agrees)) return 'whole'
  } else if (isHeld || isFirst) {
    if (!pass.hasChanged && (pass.ids.size >= expected || listed === expected)) return 'whole'
  } else if (listed >= expected) return 'whole'
  if (passes.length < maxPasses) return 'again'
  const isSame = passes.every(({ total, ids }) => total === pass.total && ids.size === listed)
  if (!isSame || expected === undefined) return 'unsettled'
  return passes.every(({ end }) => end - start >= expected) ? 'repeated' : 'short'
}

/** Returns the number of items from an offset to the end; undefined without a total. */
export function countExpected(total: number | undefined, start: number): number | undefined {
  return total === undefined ? undefined : Math.max(0, total - start)
}
