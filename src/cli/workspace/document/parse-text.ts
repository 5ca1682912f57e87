import { isRecord } from '../../../api/guards.ts'
import { describeJsonError, parseJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import { parseSimpleYaml } from './simple-yaml.ts'

export type Path = readonly (string | number)[]

/** Parsed file. Positions are looked up only for errors, because a lookup parses JSON a second time. */
export interface ParsedText {
  value: unknown
  /** @param atKey true for the position of the path's last key instead of its value */
  positionOf(path: Path, atKey?: boolean): Promise<Position>
  /** Text of a scalar as written in the file; undefined for other values. */
  sourceOf(path: Path): Promise<string | undefined>
}

export interface Position {
  line: number
  column: number
}

const maxLevels = 100
/** Maximum number of line breaks, commas and opening brackets. JSON with so many values takes 200 MB. */
const maxMarks = 1_000_000
/** The same for files that the YAML library parses, which takes up to 700 MB for them. */
const maxLibraryMarks = 300_000

/** Messages for the error codes of the YAML library. */
const problems: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'the file holds several documents; a workspace file is one',
  TAB_AS_INDENT: 'a tab cannot indent; use spaces',
  BAD_INDENT: 'the indentation does not match the lines above',
  BAD_ALIAS: 'aliases are not allowed; write the value out',
  MISSING_CHAR: 'a closing quote, bracket, brace, comma or colon is missing',
  BLOCK_AS_IMPLICIT_KEY: 'the indentation does not match the lines above',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing, or the indentation does not match the lines above',
  TAG_RESOLVE_FAILED: 'tags such as !!str are not allowed; quote the value instead',
}

/**
 * Parses YAML 1.2 (core schema) or JSON. Anchors, aliases, merge keys and tags are refused, so that a file cannot
 * expand beyond its own size.
 * @throws {UsageError} with file, line and column
 */
export async function parseText(text: string, name: string, isJson: boolean): Promise<ParsedText> {
  requireSmall(text, name, maxMarks)
  const value = isJson ? parseOrFail(text, name) : parseSimpleYaml(text)
  if (value === undefined) return parseYaml(text, name)
  let yaml: Promise<ParsedText> | undefined
  const positions = () => (yaml ??= parseYaml(text, name))
  // JSON.parse accepts duplicate keys. The YAML parser refuses them and knows their position.
  if (isJson && countKeys(value) !== countWrittenKeys(text)) await positions()
  return {
    value,
    positionOf: async (path, atKey) => (await positions()).positionOf(path, atKey),
    sourceOf: async (path) => (await positions()).sourceOf(path),
  }
}

function parseOrFail(text: string, name: string): unknown {
  try {
    return parseJson(text, maxLevels)
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON: ${describeJsonError(error, text)}`)
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

async function parseYaml(text: string, name: string): Promise<ParsedText> {
  const yaml = await import('./yaml-library.ts')
  const lines = new yaml.LineCounter()
  const fail = (offset: number, problem: string, hint?: string): never => {
    const { line, col } = lines.linePos(offset)
    throw new UsageError(`${name}:${line}:${col}: ${problem}`, hint === undefined ? {} : { hint })
  }
  requireSmall(text, name, maxLibraryMarks)
  requireShallow(text, name)
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    // The library compares each key with all keys before it.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  })
  const [error = document.warnings[0]] = document.errors
  if (error) fail(error.pos[0], problems[error.code] ?? 'this is not valid YAML')
  yaml.visit(document, {
    Map: (_, { items }) => {
      const known = new Set<string>()
      for (const { key } of items) {
        if (!yaml.isScalar(key)) continue
        if (known.has(String(key.value)))
          fail(key.range?.[0] ?? 0, 'this key is written twice in the same object')
        known.add(String(key.value))
      }
      return undefined
    },
  })
  // Visiting all nodes is slow, and few files contain these characters.
  if (/[&*!]|<</.test(text))
    yaml.visit(document, {
      Alias: (_, node) => fail(node.range?.[0] ?? 0, 'aliases are not allowed; write the value out'),
      Node: (_, node) => {
        if ('anchor' in node && node.anchor !== undefined)
          fail(node.range?.[0] ?? 0, 'anchors are not allowed; write the value out where it is needed')
        if (node.tag !== undefined)
          fail(node.range?.[0] ?? 0, 'tags such as !!str are not allowed; quote the value instead')
        return undefined
      },
      Pair: (_, { key }) => {
        if (yaml.isScalar(key) && key.source === '<<' && key.type === 'PLAIN')
          fail(key.range?.[0] ?? 0, 'merge keys (<<) are not allowed; write the fields out')
        return undefined
      },
    })
  const find = (path: Path, atKey = false) => {
    let node: unknown = document.contents
    for (const [i, step] of path.entries()) {
      if (!yaml.isCollection(node)) break
      if (atKey && i === path.length - 1 && yaml.isMap(node)) {
        const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === step)
        if (pair) return pair.key as { range?: readonly number[]; source?: string }
      }
      const next: unknown = node.get(step, true)
      if (next === undefined) break
      node = next
    }
    return (node ?? undefined) as { range?: readonly number[]; source?: string } | undefined
  }
  return {
    value: document.toJS({ maxAliasCount: 0 }) as unknown,
    async positionOf(path, atKey) {
      const { line, col } = lines.linePos(find(path, atKey)?.range?.[0] ?? 0)
      return { line: Math.max(line, 1), column: Math.max(col, 1) }
    },
    sourceOf: async (path) => find(path)?.source,
  }
}

/** Refuses a file whose values would take gigabytes, before they are parsed. */
function requireSmall(text: string, name: string, most: number): void {
  let count = 0
  const marks = /[[{,\n]/g
  while (marks.test(text))
    if (++count > most)
      throw new UsageError(`${name} has too many values: more than ${most} lines and commas`, {
        hint: 'divide the workspace: several files can be applied one after another',
      })
}

/** Refuses deep nesting in brackets or indentation, which would exhaust the stack of the recursive parser. */
function requireShallow(text: string, name: string): void {
  let depth = 0
  let line = 1
  for (const [mark] of text.matchAll(/[[{\]}\n]/g)) {
    if (mark === '\n') line++
    else depth = Math.max(0, depth + (mark === '[' || mark === '{' ? 1 : -1))
    // The depth includes brackets in quoted text, so the limit is far above that of any real file.
    if (depth > maxLevels * 10) throw tooDeep(name, line)
  }
  const indented = text.split('\n').findIndex((row) => /^[ -]{200}[^ ]/.test(row))
  if (indented >= 0) throw tooDeep(name, indented + 1)
}

function tooDeep(name: string, line: number): UsageError {
  return new UsageError(`${name}:${line}:1: the file is nested too deeply`)
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (parent, step) =>
      Array.isArray(parent) ? parent[Number(step)] : isRecord(parent) ? parent[String(step)] : undefined,
    value,
  )
}
