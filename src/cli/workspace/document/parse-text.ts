import { isRecord } from '../../../api/guards.ts'
import { parseGivenJson, parseJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import type { Path } from './document.ts'
import type { Locator } from './yaml-events.ts'

/** Parsed file. Look up positions only for errors, because the first lookup parses the text again. */
export interface ParsedText {
  value: unknown
  /** @param atKey true for the position of the path's last key instead of its value */
  positionOf(path: Path, atKey?: boolean): Promise<Position>
  /** Text of a scalar before its conversion to another type; undefined for other values. */
  sourceOf(path: Path): Promise<string | undefined>
}

export interface Position {
  line: number
  column: number
}

const maxLevels = 100
/** Maximum number of marks that may begin a value. A file at this limit can use 800 MB of memory. */
const maxMarks = 700_000

const problems: readonly (readonly [RegExp, string])[] = [
  [/maxDepth/, 'the file is nested too deeply'],
  [/^tab characters/, 'YAML does not allow tabs for indentation; use spaces'],
  [/^duplicated mapping key/, 'this key is written twice in the same object'],
  [
    /indentation|implicit key|line break|whitespace/,
    'a colon is missing, or the indentation does not match the lines above',
  ],
  [/^unexpected end|^missed comma|^expected/, 'a closing quote, bracket, brace, comma or colon is missing'],
]

/**
 * Parses YAML 1.2 (core schema) or JSON. Refuses aliases, which could expand to any size.
 * @throws {UsageError} for invalid text, or more than `maxMarks` marks
 */
export async function parseText(text: string, name: string, isJson: boolean): Promise<ParsedText> {
  requireSmall(text, name)
  const value = isJson
    ? parseGivenJson(text, name, (json) => parseJson(json, maxLevels))
    : await parseYaml(text, name)
  // JSON.parse accepts duplicate keys. The YAML parser refuses such keys and reports their position.
  if (isJson && countKeys(value) !== countWrittenKeys(text)) await parseYaml(text, name)
  let locator: Promise<Locator> | undefined
  const locate = () => (locator ??= import('./yaml-events.ts').then(({ Locator }) => new Locator(text)))
  return {
    value,
    positionOf: async (path, atKey) => positionAt(text, (await locate()).offsetOf(path, atKey)),
    sourceOf: async (path) => (await locate()).scalarAt(path),
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const held = Object.values(value)
  return held.reduce<number>((sum, each) => sum + countKeys(each), Array.isArray(value) ? 0 : held.length)
}

function countWrittenKeys(json: string): number {
  let count = 0
  for (const [, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) count++
  return count
}

async function parseYaml(text: string, name: string): Promise<unknown> {
  const yaml = await import('./yaml-events.ts')
  try {
    return yaml.parseYaml(text, maxLevels)
  } catch (error) {
    if (error instanceof yaml.Refusal)
      throw new UsageError(`${formatPlace(name, text, error.at)}: ${error.message}`)
    if (!(error instanceof yaml.YAMLException)) throw error
    const { reason, mark } = error
    const [, problem = 'this is not valid YAML'] = problems.find(([pattern]) => pattern.test(reason)) ?? []
    throw new UsageError(`${formatPlace(name, text, mark?.position ?? 0)}: ${problem}`)
  }
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

function formatPlace(name: string, text: string, offset: number): string {
  const { line, column } = positionAt(text, offset)
  return `${name}:${line}:${column}`
}

/** @throws {UsageError} for a file whose parsed values could use too much memory */
function requireSmall(text: string, name: string): void {
  let count = 0
  const marks = /[[{,\n]/g
  while (marks.test(text))
    if (++count > maxMarks)
      throw new UsageError(`${name} has too many values: more than ${maxMarks} lines and commas`, {
        hint: 'split the file, and apply the files one after another',
      })
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (parent, step) =>
      Array.isArray(parent) ? parent[Number(step)] : isRecord(parent) ? parent[String(step)] : undefined,
    value,
  )
}
