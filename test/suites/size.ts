import { afterAll } from 'vitest'

/** Whether a suite runs in full (`npm run test:<suite>`) rather than in its quick form, as a part of `npm test`. */
export const full = process.env.MEETROOM_TEST_FULL === '1'

/** The number of cases to run: a suite says both, so that its quick form is the same test and only shorter. */
export const sized = (quick: number, whole: number): number => (full ? whole : quick)

/**
 * The cases of a product that one of its rows runs: the full form runs all, and the quick form every `parts`-th one. The
 * first differs from row to row, so that `parts` neighboring rows run each case once.
 */
export const share = <T>(cases: readonly T[], row: number, parts: number): readonly T[] =>
  full ? cases : cases.filter((_, i) => (i + row) % parts === 0)

/**
 * Counts the cases of a suite. The full form prints the counts when its file has ended: "faults: 1,440 commands".
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

/** Says why a part of a suite is not run on this machine, such as “skipped: strace is not installed”. */
export function notice(suite: string, reason: string): void {
  process.stdout.write(`${suite}: skipped: ${reason}\n`)
}
