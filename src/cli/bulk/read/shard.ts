import { UsageError } from '../../../errors.ts'

/** One of several parts of an input, which machines share between them: disjoint, and together everything. */
export class Shard {
  private constructor(
    /** Counted from 1. */
    readonly index: number,
    readonly count: number,
  ) {}

  /** @throws {UsageError} when it is not `i/n`, with i from 1 to n */
  static parse(text: string): Shard {
    const [, index = 0, count = 0] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number)
    if (index < 1 || index > count)
      throw new UsageError(`--shard takes i/n, the i-th of n parts, as in 2/4, not “${text}”`, {
        hint: 'parts are counted from 1',
      })
    return new Shard(index, count)
  }

  /** As on the command line: `2/4`. */
  toString(): string {
    return `${this.index}/${this.count}`
  }

  /** What the names of its files have: `2-of-4`. */
  get suffix(): string {
    return `${this.index}-of-${this.count}`
  }

  /**
   * Whether a row is in this part.
   * @param key what tells it apart; its number decides where nothing does
   * @param row its number, from 1
   */
  holds(key: string | undefined, row: number): boolean {
    return (key === undefined ? row - 1 : hashOf(key)) % this.count === this.index - 1
  }
}

/**
 * FNV-1a with the last steps of MurmurHash3, without which the remainders of similar keys are not spread evenly. Never to be
 * changed: a run that is resumed must take the same rows.
 */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
