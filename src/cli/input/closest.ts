/** Finds the candidate one edit away, or two edits for words of more than five letters. Ignores case and hyphens. */
export function findClosest(word: string, candidates: readonly string[]): string | undefined {
  const distances = candidates
    .map((candidate) => ({ candidate, distance: measureDistance(foldWord(word), foldWord(candidate)) }))
    .filter(({ candidate, distance }) => distance <= (Math.min(word.length, candidate.length) > 5 ? 2 : 1))
  return distances.sort((a, b) => a.distance - b.distance)[0]?.candidate
}

const foldWord = (word: string) => word.toLowerCase().replace(/[-_\s]/g, '')

function measureDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : replaced
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
