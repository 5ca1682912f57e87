import { UsageError } from '../../../errors.ts'

/** One of n disjoint parts of an input, for imports on several machines. */
export class Shard {
  private constructor(
    /** Index from 1. */
    readonly index: number,
    readonly count: number,
  ) {}

  /** @throws {UsageError} unless the text is `i/n` with i from 1 to n */
  static parse(text: string): Shard {
    const [, index = 0, count = 0] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number)
    if (index < 1 || index > count)
      throw new UsageError(`--shard takes i/n, the i-th of n parts, as in 2/4, not “${text}”`, {
        hint: 'parts are counted from 1',
      })
    return new Shard(index, count)
  }

  toString(): string {
    return `${this.index}/${this.count}`
  }

  get suffix(): string {
    return `${this.index}-of-${this.count}`
  }

  /**
   * Returns true when a row is in this shard.
   * @param key key of the row; without one, its number decides
   * @param row row number, from 1
   */
  holds(key: string | undefined, row: number): boolean {
    return (key === undefined ? row - 1 : hashOf(key)) % this.count === this.index - 1
  }
}

/**
 * Hashes a key with FNV-1a and the final mix of MurmurHash3, for an even distribution. Must not change: a resumed
 * run must select the same rows.
 */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
