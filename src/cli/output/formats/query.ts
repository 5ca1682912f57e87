import { compile, TreeInterpreter, TYPE_ARRAY, TYPE_EXPREF } from '@jmespath-community/jmespath'
import { OutputError, UsageError } from '../../../errors.ts'

export type Query = (document: unknown) => unknown

type Interpreter = typeof TreeInterpreter
type Node = ReturnType<typeof compile>
type Json = Parameters<Interpreter['search']>[1]

/** Maximum number of evaluation steps and created values: a short expression can be arbitrarily expensive. */
const maxWork = 50_000_000

/** @throws {UsageError} if the expression is not valid */
export function parseQuery(expression: string, most = maxWork): Query {
  const tree = read(expression)
  return (document) => {
    let work = 0
    const spend = (amount: number) => {
      work += amount
      if (work > most) throw new RangeError()
    }
    try {
      const result = limitInterpreter(createInterpreter(), spend).search(tree, document as Json)
      countValues(result, spend)
      return result
    } catch (error) {
      const why =
        error instanceof RangeError ? 'its result is too large, or nested too deeply' : describeError(error)
      throw new OutputError(`--query cannot be applied to the answer: ${why}`, {
        hint: 'the command was carried out; only its output is missing',
      })
    }
  }
}

function read(expression: string): Node {
  try {
    const tree = compile(expression)
    checkTree(tree, TreeInterpreter.runtime._functionTable)
    return tree
  } catch (error) {
    const why = error instanceof RangeError ? 'nested too deeply' : describeError(error)
    throw new UsageError(`--query is not a JMESPath expression: ${why}`, { hint: 'see https://jmespath.org' })
  }
}

const describeError = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(
    /^(syntax|invalid type)( error)?[:,] /i,
    '',
  )

type Functions = Interpreter['runtime']['_functionTable']

/** Rejects expressions that fail for every document, but that the library accepts or reports late. */
function checkTree(tree: unknown, functions: Functions): void {
  if (typeof tree !== 'object' || tree === null) return
  const node = tree as Partial<Node>
  if (node.type === 'Literal') return
  if (node.type === 'Binding') throw new Error('= gives a name after “let”; two values are compared with ==')
  if (node.type === 'Function') checkCall(node as Extract<Node, { type: 'Function' }>, functions)
  const { bindings = [], ...inner } = node as { bindings?: readonly { reference: Node }[] }
  for (const { reference } of bindings) checkTree(reference, functions)
  for (const child of Object.values(inner)) checkTree(child, functions)
}

function checkCall({ name, children }: Extract<Node, { type: 'Function' }>, functions: Functions): void {
  const signature = Object.hasOwn(functions, name) ? functions[name]?._signature : undefined
  if (!signature) throw new Error(`unknown function ${name}()`)
  const least = signature.filter(({ optional }) => !optional).length
  const most = signature.at(-1)?.variadic ? Number.POSITIVE_INFINITY : signature.length
  if (children.length < least) throw new Error(`${name}() needs at least ${counted(least)}`)
  if (children.length > most) throw new Error(`${name}() takes at most ${counted(most)}`)
}

const counted = (count: number) => (count === 1 ? '1 argument' : `${count} arguments`)

/** Creates an interpreter whose sort_by, min_by and max_by are stable and compare text. */
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
  throw new Error(`${name}() takes keys that are all text or all numbers`)
}

/** Compares by code point, as JMESPath requires. */
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

/** Counts the values to print. A list that holds the same list many times is small in memory and large in print. */
function countValues(value: unknown, spend: (amount: number) => void): void {
  spend(1)
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) countValues(inner, spend)
}
