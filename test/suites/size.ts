import { afterAll } from 'vitest'

/** True if a suite runs in full (`npm run test:<suite>`), and false for a quick run as part of `npm test`. */
export const full = process.env.MEETROOM_TEST_FULL === '1'

/** Returns the number of cases for a quick or a full run. */
export const sized = (quick: number, whole: number): number => (full ? whole : quick)

/**
 * Returns the cases that one row runs: all cases in a full run, and every `parts`-th case in a quick run. The
 * first case differs from row to row, so that `parts` neighboring rows run each case once.
 */
export const share = <T>(cases: readonly T[], row: number, parts: number): readonly T[] =>
  full ? cases : cases.filter((_, i) => (i + row) % parts === 0)

/**
 * Counts the cases of a suite. A full run prints the counts at the end of the file: “faults: 1,440 commands”.
 */
export function counted(suite: string): { add: (what: string, count?: number) => void } {
  const counts = new Map<string, number>()
  if (full)
    afterAll(() => {
      const parts = [...counts].map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
      process.stdout.write(`${suite}: ${parts.join(', ')}\n`)
    })
  return { add: (what, count = 1) => void counts.set(what, (counts.get(what) ?? 0) + count) }
}

/** Prints why part of a suite is not run on this machine, such as “skipped: strace is not installed”. */
export function notice(suite: string, reason: string): void {
  process.stdout.write(`${suite}: skipped: ${reason}\n`)
}
