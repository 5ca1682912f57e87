import {
  compile,
  getRegisteredFunctions,
  search,
  TreeInterpreter,
  TYPE_ARRAY,
  TYPE_EXPREF,
} from '@jmespath-community/jmespath'
import { formatChoices } from '../../../api/either.ts'
import { counted } from '../../../api/plural.ts'
import { type Done, OutputError, UsageError } from '../../../errors.ts'
import { fromJq } from './near-query.ts'

export type Query = ((document: unknown) => unknown) & { readonly expression?: string }

type Interpreter = typeof TreeInterpreter
type Node = ReturnType<typeof compile>
type Json = Parameters<Interpreter['search']>[1]

/** Maximum sum of evaluation steps and values, because a short expression can be arbitrarily expensive. */
const maxWork = 50_000_000

class QueryError extends OutputError {
  constructor(readonly reason: string) {
    super(`the command succeeded, but --query failed: ${reason}`)
  }

  override after({ text }: Done): OutputError {
    return new OutputError(`${text}, but --query failed: ${this.reason}`)
  }
}

/**
 * @returns query that throws a {@link QueryError} if its evaluation fails or is too expensive
 * @throws {UsageError} if the expression is not valid
 */
export function parseQuery(expression: string, max = maxWork): Query {
  const tree = read(expression)
  const query = (document: unknown) => {
    let work = 0
    const spend = (amount: number) => {
      work += amount
      if (work > max) throw new RangeError()
    }
    try {
      const result = limitInterpreter(createInterpreter(), spend).search(tree, document as Json)
      countValues(result, spend)
      return result
    } catch (error) {
      const why =
        error instanceof RangeError
          ? 'its result is too large or nested too deeply'
          : describeQueryError(error)
      throw new QueryError(why)
    }
  }
  return Object.assign(query, { expression })
}

const incomplete = 'it is incomplete'

/** Maximum length of an expression that a message quotes. */
const maxQuoted = 80

function read(expression: string): Node {
  try {
    const tree = compile(expression)
    checkTree(tree)
    return tree
  } catch (error) {
    const why = error instanceof RangeError ? 'nested too deeply' : describeQueryError(error)
    const meant = fromJq(expression)
    const message =
      why === incomplete
        ? `--query ${expression.length > maxQuoted ? '' : `“${expression}” `}is incomplete`
        : `--query is not a valid JMESPath expression: ${why}`
    throw new UsageError(message, {
      hint: 'see https://jmespath.org for the syntax',
      ...(meant !== undefined && { correction: [expression, meant] as const }),
    })
  }
}

/** Rejects mistakes that the library does not detect during parsing. */
function checkTree(tree: unknown, isArgument = false): void {
  if (typeof tree !== 'object' || tree === null) return
  const node = tree as Partial<Node>
  if (node.type === 'Literal') return
  if (node.type === 'Binding') throw new QueryProblem('values are compared with ==, not with =')
  if (node.type === 'ExpressionReference' && !isArgument)
    throw new QueryProblem('& is only allowed before an argument of a function')
  if (node.type === 'Slice' && (node as { step?: unknown }).step === 0)
    throw new QueryProblem('the step of a slice must not be 0')
  if (node.type === 'Function') checkCall(node as Extract<Node, { type: 'Function' }>)
  const { bindings = [], ...inner } = node as { bindings?: readonly { reference: Node }[] }
  for (const { reference } of bindings) checkTree(reference)
  for (const child of Object.values(inner))
    for (const each of [child].flat()) checkTree(each, node.type === 'Function')
}

function checkCall({ name, children: { length } }: Extract<Node, { type: 'Function' }>): void {
  if (!getRegisteredFunctions().includes(name)) throw new QueryProblem(`unknown function ${name}()`)
  if (acceptsCount(name, length)) return
  for (let max = length - 1; max >= 0; max--)
    if (acceptsCount(name, max)) throw new QueryProblem(`${name}() takes at most ${counted(max, 'argument')}`)
  let min = length + 1
  while (!acceptsCount(name, min)) min++
  throw new QueryProblem(`${name}() takes at least ${counted(min, 'argument')}`)
}

/** Tries a call with nulls, because the library checks the number of arguments before their types. */
function acceptsCount(name: string, count: number): boolean {
  try {
    search(null, `${name}(${Array(count).fill('@')})`)
    return true
  } catch (error) {
    return !(error as Error).message.startsWith('Invalid arity')
  }
}

/** Creates an interpreter whose sort_by, min_by and max_by are stable and compare text by code point. */
function createInterpreter(): Interpreter {
  const interpreter = new (TreeInterpreter.constructor as new () => Interpreter)()
  const signature = [{ types: [TYPE_ARRAY] }, { types: [TYPE_EXPREF] }]
  const define = (name: string, choose: (sorted: readonly Keyed[]) => Json) =>
    interpreter.runtime.registerFunction(
      name,
      (given) => {
        const [items, node] = given as [Json[], Node]
        const keyed = items.map((item) => ({ item, key: interpreter.visit(node, item) }))
        return choose(sortByKey(name, keyed))
      },
      signature,
      { override: true },
    )
  define('sort_by', (sorted) => sorted.map(({ item }) => item))
  define('min_by', ([first]) => first?.item ?? null)
  define('max_by', (sorted) => sorted.find(({ key }) => key === sorted.at(-1)?.key)?.item ?? null)
  return interpreter
}

interface Keyed {
  item: Json
  key: unknown
}

function sortByKey(name: string, keyed: readonly Keyed[]): Keyed[] {
  const all = (type: string) => keyed.every(({ key }) => typeof key === type)
  if (all('number')) return keyed.toSorted((a, b) => Number(a.key) - Number(b.key))
  if (all('string')) return keyed.toSorted((a, b) => compareCodePoints(String(a.key), String(b.key)))
  throw new QueryProblem(`the keys of ${name}() must be all strings or all numbers`)
}

/** JMESPath orders strings by code point. */
function compareCodePoints(a: string, b: string): number {
  const [one, other] = [Array.from(a), Array.from(b)]
  const at = one.findIndex((character, i) => character !== other[i])
  return at < 0
    ? one.length - other.length
    : (one[at]?.codePointAt(0) ?? 0) - (other[at]?.codePointAt(0) ?? -1)
}

function limitInterpreter(interpreter: Interpreter, spend: (amount: number) => void): Interpreter {
  const { visit, withScope } = interpreter
  interpreter.visit = (node, value) => {
    const result = visit.call(interpreter, node, value)
    spend(listNodeTypes.has(node.type) && Array.isArray(result) ? 1 + result.length : 1)
    return result
  }
  interpreter.withScope = (scope) => limitInterpreter(withScope.call(interpreter, scope), spend)
  return interpreter
}

const listNodeTypes: ReadonlySet<string> = new Set<Node['type']>([
  ...(['Flatten', 'Function', 'Slice', 'MultiSelectList'] as const),
  ...(['Projection', 'ValueProjection', 'FilterProjection'] as const),
])

/** Counts a shared value at each place, because the output repeats the value. */
function countValues(value: unknown, spend: (amount: number) => void): void {
  spend(1)
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) countValues(inner, spend)
}

class QueryProblem extends Error {}

const tokens: Readonly<Record<string, string>> = {
  Rbracket: ']',
  Rparen: ')',
  Rbrace: '}',
  Lparen: '(',
  Lbracket: '[',
  Lbrace: '{',
  Comma: ',',
  Colon: ':',
  Star: '*',
}

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  expression: 'an expression such as &name',
  null: 'null',
  any: 'any value',
  'Array<string>': 'a list of strings',
  'Array<number>': 'a list of numbers',
  'Array<Array<any>>': 'a list of pairs',
}

const translations: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/JSON input|JSON literal/, () => 'a quote or backtick is not closed, or contains invalid JSON'],
  [/expected (\w+), got: EOF/, (expected = '') => endOf(expected)],
  [/EOF/, () => incomplete],
  [/expected (\w+), got: (\w+)/, (expected = '', got = '') => expectedInstead(expected, got)],
  [/unknown character: ([\s\S])/, (character) => `unexpected “${character}”`],
  [/invalid token \(\w+\): "([\s\S]*)"$/, (value) => `unexpected “${value}”`],
  [/unexpected token type: \w+, value: ([\s\S]*)$/, (value) => `unexpected “${value}”`],
  [/unexpected token: ([\s\S]*)\(\w+\)$/, (value) => `unexpected “${value}”`],
  [/quoted identifier not allowed/, () => 'the name of a function takes no quotes'],
  [/undefined variable (.*)/, (name) => `unknown variable $${name}`],
  [
    /(\w+\(\)) expected argument (\d+) to be type \((.*)\) but received type (\w+)/,
    (name, nth, expected = '', got = '') =>
      `argument ${nth} of ${name} must be ${typesIn(expected)}, not ${typesIn(got)}`,
  ],
  [
    /expected (?:one of )?\((.*)\), received (\w+)/,
    (expected = '', got = '') => `a value must be ${typesIn(expected)}, not ${typesIn(got)}`,
  ],
  [/slice step/, () => 'the step of a slice must not be 0'],
  [/divide by zero/, () => 'a division by 0'],
  [/not-a-number/, () => 'an operand is not a number'],
  [/expecting a non-negative integer/, () => 'an argument must be a whole number, at least 0'],
  [/expecting an integer/, () => 'an argument must be a whole number'],
  [/pair of string and value/, () => 'each item of the list must be a pair of a string and a value'],
  [/'pad' parameter/, () => 'the padding must be one character'],
]

/** Translates an error, because the library's wording must not reach users. */
function describeQueryError(error: unknown): string {
  if (error instanceof QueryProblem) return error.message
  const message = error instanceof Error ? error.message : ''
  for (const [pattern, translate] of translations) {
    const [match, ...groups] = pattern.exec(message) ?? []
    if (match !== undefined) return translate(...groups)
  }
  return 'a value or an operator is not valid there'
}

function endOf(expected: string): string {
  // For a final `[`, the error names the star of `[*]`, the last alternative that the parser tries.
  const token = expected === 'Star' ? ']' : tokens[expected]
  return token === undefined ? incomplete : `“${token}” is missing at its end`
}

function expectedInstead(expected: string, got: string): string {
  const unexpected = tokens[got]
  if (expected === 'Star') return 'brackets must hold a number, a slice, *, or a condition such as ?type'
  if (tokens[expected])
    return `“${tokens[expected]}” is missing${unexpected ? ` before “${unexpected}”` : ''}`
  return unexpected ? `unexpected “${unexpected}”` : 'a name is missing'
}

function typesIn(names: string): string {
  return formatChoices(names.split(' | ').map((name) => types[name] ?? name))
}
