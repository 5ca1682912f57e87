const blockBits = 7
const recordsInBlock = 1 << blockBits

/** Growing table of numbers outside the JavaScript heap, which the garbage collector does not scan. */
export class CompactRecords {
  readonly #blocks: (Float64Array | Int32Array)[] = []
  readonly #createBlock: (length: number) => Float64Array | Int32Array
  readonly #width: number
  #count = 0

  /** @param width number of fields in a record */
  constructor(kind: 'float' | 'integer', width: number) {
    this.#createBlock = (length) => (kind === 'float' ? new Float64Array(length) : new Int32Array(length))
    this.#width = width
  }

  get count(): number {
    return this.#count
  }

  /** Appends a record of zeros and returns its number. */
  create(): number {
    const record = this.#count++
    const block = this.#blocks[record >> blockBits]
    const at = (record & (recordsInBlock - 1)) * this.#width
    if (block) block.fill(0, at, at + this.#width)
    else this.#blocks.push(this.#createBlock(recordsInBlock * this.#width))
    return record
  }

  get(record: number, field: number): number {
    const block = this.#blocks[record >> blockBits]
    return block?.[(record & (recordsInBlock - 1)) * this.#width + field] ?? 0
  }

  set(record: number, field: number, value: number): void {
    const block = this.#blocks[record >> blockBits]
    if (block) block[(record & (recordsInBlock - 1)) * this.#width + field] = value
  }

  add(record: number, field: number, amount: number): void {
    this.set(record, field, this.get(record, field) + amount)
  }

  /** Removes all records and keeps the memory for the next ones. */
  clear(): void {
    this.truncate(0)
  }

  /** Removes the records after the first `count` ones and keeps their memory. */
  truncate(count: number): void {
    this.#count = Math.min(this.#count, count)
  }
}
