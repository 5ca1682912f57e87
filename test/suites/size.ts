import { afterAll } from 'vitest'

/** True in a full run, such as `npm run test:faults`; false in a quick run (`npm test`). */
export const full = process.env.MEETROOM_TEST_FULL === '1'

export const sized = (quick: number, whole: number): number => (full ? whole : quick)

/**
 * Returns all cases in a full run. In a quick run, returns every `parts`-th case, so that `parts` consecutive
 * rows run each case once.
 */
export const share = <T>(cases: readonly T[], row: number, parts: number): readonly T[] =>
  full ? cases : cases.filter((_, i) => (i + row) % parts === 0)

/** Creates a counter. A full run prints its counts at the end of the file: “faults: 1,440 commands”. */
export function counted(suite: string): { add: (what: string, count?: number) => void } {
  const counts = new Map<string, number>()
  if (full)
    afterAll(() => {
      const parts = [...counts].map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
      process.stdout.write(`${suite}: ${parts.join(', ')}\n`)
    })
  return { add: (what, count = 1) => void counts.set(what, (counts.get(what) ?? 0) + count) }
}

/** Prints the reason why part of a suite is not run, such as “strace is not installed”. */
export function notice(suite: string, reason: string): void {
  process.stdout.write(`${suite}: skipped: ${reason}\n`)
}
