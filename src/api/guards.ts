import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'
import { resources } from './resources.ts'

/**
 * What is wrong with an answer, in one line; undefined when it can be used. Only what tells items apart must be there:
 * services send less, more and other than the document says, and what they send is shown as it came.
 */
export function findResponseProblem(name: OperationName, value: unknown): string | undefined {
  const endpoint: Endpoint = endpoints[name]
  const { result, many, bare } = endpoint
  if (!isRecord(value)) return 'it is not an object'
  if (bare) return Object.hasOwn(value, result) ? undefined : `it has no field “${result}”`
  const found = value[result]
  if (many && found === null && endpoint.method === 'GET') return undefined
  if (many && !Array.isArray(found)) return `${result} is not a list`
  const id = idField(endpoint)
  const items: readonly unknown[] = many && Array.isArray(found) ? found : [found]
  const wrong = items.findIndex((item) => !isRecord(item) || !isId(item[id]))
  if (wrong < 0) return undefined
  return `${many ? `${result}[${wrong}]` : result} has no ${id}`
}

/** The field that tells the items of an operation apart. */
export function idField({ resource }: Endpoint): string {
  const { id = 'id' }: { id?: string } = resources[resource]
  return id
}

/** Ids are text; some services count instead. */
export function isId(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || Number.isFinite(value)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
