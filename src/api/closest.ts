export function findClosest(word: string, candidates: readonly string[], maxEdits = 2): string | undefined {
  return findAllClosest(word, candidates, maxEdits)[0]
}

/**
 * Finds the nearest candidates, at most `maxEdits` (1 or 2) edits away; for short words, only one. Skips
 * opposites, such as `delete` for `undelete`.
 */
export function findAllClosest(word: string, candidates: readonly string[], maxEdits = 2): readonly string[] {
  const folded = foldWord(word)
  const distances = candidates
    .map((candidate) => ({ candidate, distance: measureDistance(folded, foldWord(candidate)) }))
    .filter(({ candidate, distance }) => {
      if (isOpposite(folded, foldWord(candidate), distance)) return false
      if (distance <= 1 || distance > maxEdits) return distance <= 1
      const length = Math.min(word.length, candidate.length)
      return distance === 2 && (length > 5 || (length === 5 && hasOneMoved(folded, foldWord(candidate))))
    })
  const least = Math.min(...distances.map(({ distance }) => distance))
  return distances.filter(({ distance }) => distance === least).map(({ candidate }) => candidate)
}

const negation = /^(un|de|dis|non?|not|dont)(?=.)/

function isOpposite(a: string, b: string, distance: number): boolean {
  const isNegated = (one: string, other: string) =>
    negation.test(one) && measureDistance(one.replace(negation, ''), other) < distance
  return isNegated(a, b) || isNegated(b, a)
}

/** Returns true if two words become equal when one letter is removed from each. */
function hasOneMoved(a: string, b: string): boolean {
  const shortened = (word: string) => Array.from(word, (_, i) => word.slice(0, i) + word.slice(i + 1))
  const others = shortened(b)
  return shortened(a).some((short) => others.includes(short))
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
