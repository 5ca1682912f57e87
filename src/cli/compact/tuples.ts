import { CompactRecords } from './records.ts'

const firstSlots = 64

/** Set of tuples of up to four 32-bit integers, numbered in the order of their addition. */
export class CompactTuples {
  readonly #tuples: CompactRecords
  readonly #width: number
  /** Numbers of tuples plus 1, at their hash. Empty slots contain 0. */
  #slots = new Int32Array(firstSlots)

  constructor(width: number) {
    this.#tuples = new CompactRecords('integer', width)
    this.#width = width
  }

  get size(): number {
    return this.#tuples.count
  }

  /** Adds a tuple if it is new. Returns its number, from 0. */
  place(a: number, b = 0, c = 0, d = 0): number {
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = hashTuple(a, b, c, d) & mask
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = (slots[slot] ?? 0) - 1
      if (this.#isAt(number, a, b, c, d)) return number
    }
    const number = this.#tuples.create()
    this.#tuples.set(number, 0, a)
    if (this.#width > 1) this.#tuples.set(number, 1, b)
    if (this.#width > 2) this.#tuples.set(number, 2, c)
    if (this.#width > 3) this.#tuples.set(number, 3, d)
    slots[slot] = number + 1
    if (this.size * 2 > slots.length) this.#grow()
    return number
  }

  /** Adds a tuple. Returns false if the set already contains the tuple. */
  add(a: number, b = 0, c = 0, d = 0): boolean {
    const before = this.size
    this.place(a, b, c, d)
    return this.size > before
  }

  get(number: number, field: number): number {
    return field < this.#width ? this.#tuples.get(number, field) : 0
  }

  clear(): void {
    this.#tuples.clear()
    this.#slots.fill(0)
  }

  #isAt(number: number, a: number, b: number, c: number, d: number): boolean {
    return (
      this.get(number, 0) === (a | 0) &&
      this.get(number, 1) === (b | 0) &&
      this.get(number, 2) === (c | 0) &&
      this.get(number, 3) === (d | 0)
    )
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length)
    const mask = slots.length - 1
    for (let number = 0; number < this.size; number++) {
      const hash = hashTuple(
        this.get(number, 0),
        this.get(number, 1),
        this.get(number, 2),
        this.get(number, 3),
      )
      let slot = hash & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = number + 1
    }
    this.#slots = slots
  }
}

function hashTuple(a: number, b: number, c: number, d: number): number {
  return mix(mix(mix(mix(0, a), b), c), d)
}

/** Adds an integer to a hash by the mix of MurmurHash3. */
function mix(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ value, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
