// The bundler puts this file into a separate chunk, which only commands for workspace files load.
import {
  CORE_SCHEMA,
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml'
import type { Path } from './document.ts'

export { YAMLException }

/** Error for valid YAML that a workspace file must not contain. */
export class Refusal extends Error {
  /** @param at offset in the text, in characters */
  constructor(
    readonly at: number,
    problem: string,
  ) {
    super(problem)
  }
}

/**
 * @throws {YAMLException} for invalid YAML
 * @throws {Refusal} for aliases, anchors, tags, merge keys and second documents
 */
export function parseYaml(text: string, maxDepth: number): unknown {
  const events = parseEvents(text, { maxDepth })
  refuseExtras(events, text)
  const [value = null] = constructFromEvents(events, { source: text, schema: CORE_SCHEMA })
  return value
}

function refuseExtras(events: readonly Event[], text: string): void {
  const second = events.findIndex(({ type }, i) => i > 0 && type === EVENT_ID.DOCUMENT)
  if (second > 0) {
    const at = text.lastIndexOf('\n---', startOf(events[second + 1])) + 1
    throw new Refusal(at, 'the file contains several documents, but must contain one')
  }
  // Skips the search for most files, which contain none of these characters.
  if (!/[&*!]|<</.test(text)) return
  const keys = text.includes('<<') ? findKeys(events) : undefined
  for (const event of events) {
    if (event.type === EVENT_ID.ALIAS)
      throw new Refusal(event.anchorStart - 1, 'aliases are not allowed; write the value out')
    if (!('tagStart' in event)) continue
    const { anchorStart, tagStart } = event
    if (anchorStart >= 0)
      throw new Refusal(anchorStart - 1, 'anchors are not allowed; write the value out where it is needed')
    if (tagStart >= 0)
      throw new Refusal(tagStart, 'tags such as !!str are not allowed; quote the value instead')
    if (keys?.has(event) && isMerge(event, text))
      throw new Refusal(startOf(event), 'merge keys (<<) are not allowed; write the fields out')
  }
}

const isMerge = (event: Event, text: string) =>
  event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && getScalarValue(text, event) === '<<'

function findKeys(events: readonly Event[]): ReadonlySet<Event> {
  const keys = new Set<Event>()
  for (const [i, event] of events.entries())
    if (event.type === EVENT_ID.MAPPING)
      for (const { key } of pairsOf(events, i)) keys.add(events[key] ?? event)
  return keys
}

export class Locator {
  readonly #text: string
  readonly #events: readonly Event[]

  constructor(text: string) {
    this.#text = text
    this.#events = parseEvents(text, {})
  }

  /**
   * Returns the offset of the value at a path, or of the nearest node that was found.
   * @param atKey true for the offset of the last key
   */
  offsetOf(path: Path, atKey = false): number {
    const starts = this.#find(path, atKey).map((index) => startOf(this.#events[index]))
    return starts.findLast((start) => start >= 0) ?? 0
  }

  /** Returns the decoded text of the scalar at a path; undefined for other values. */
  scalarAt(path: Path): string | undefined {
    return scalarText(this.#events[this.#find(path, false).at(-1) ?? 0], this.#text)
  }

  #find(path: Path, atKey: boolean): number[] {
    const events = this.#events
    let index = 1
    const found = [index]
    for (const [i, step] of path.entries()) {
      if (events[index]?.type === EVENT_ID.MAPPING) {
        const pairs = [...pairsOf(events, index)]
        const pair = pairs.find(({ key }) => scalarText(events[key], this.#text) === String(step))
        if (!pair) break
        found.push(pair.key)
        if (atKey && i === path.length - 1) break
        index = pair.value
      } else {
        const item = [...childrenOf(events, index)][Number(step)]
        if (item === undefined) break
        index = item
      }
      found.push(index)
    }
    return found
  }
}

const scalarText = (event: Event | undefined, text: string) =>
  event?.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : undefined

function* pairsOf(events: readonly Event[], mapping: number): Generator<{ key: number; value: number }> {
  let key: number | undefined
  for (const child of childrenOf(events, mapping)) {
    if (key === undefined) key = child
    else {
      yield { key, value: child }
      key = undefined
    }
  }
}

function* childrenOf(events: readonly Event[], collection: number): Generator<number> {
  let depth = 0
  for (let i = collection; i < events.length; i++) {
    const type = events[i]?.type
    if (depth === 1 && type !== EVENT_ID.POP) yield i
    if (type === EVENT_ID.POP) depth--
    else if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++
    if (depth === 0) return
  }
}

/** Returns -1 for a node without an offset, such as an empty scalar. */
function startOf(event: Event | undefined): number {
  if (event?.type === EVENT_ID.SCALAR) return event.valueStart - (isQuoted(event) ? 1 : 0)
  return event && 'start' in event ? event.start : -1
}

const isQuoted = ({ style }: ScalarEvent) =>
  style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED
