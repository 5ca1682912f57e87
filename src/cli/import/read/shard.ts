import { UsageError } from '../../../errors.ts'
import { hashEvenly } from '../../../hash.ts'

/** One of `count` disjoint subsets of an input, for imports on several machines. */
export class Shard {
  private constructor(
    /** Index from 1. */
    readonly index: number,
    readonly count: number,
  ) {}

  /** @throws {UsageError} unless the text is `i/n` with i from 1 to n, and n below 1,000,000 */
  static parse(text: string): Shard {
    const [, index = 0, count = 0] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number)
    if (index < 1 || index > count)
      throw new UsageError(`--shard must be i/n with i from 1 to n, such as 2/4, not “${text}”`)
    return new Shard(index, count)
  }

  toString(): string {
    return `${this.index}/${this.count}`
  }

  get suffix(): string {
    return `${this.index}-of-${this.count}`
  }

  /**
   * @param key undefined to select the shard by row number
   * @param row row number, from 1
   */
  includes(key: string | undefined, row: number): boolean {
    return (key === undefined ? row - 1 : hashEvenly(key)) % this.count === this.index - 1
  }
}
