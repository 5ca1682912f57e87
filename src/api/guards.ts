import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'
import { resources } from './resources.ts'

/** Requires only the IDs of items, or `message`, because services differ in other fields. */
export function findResponseProblem(name: OperationName, value: unknown): string | undefined {
  const endpoint: Endpoint = endpoints[name]
  const { result, many, bare } = endpoint
  if (!isRecord(value)) return 'it is not an object'
  if (bare) return Object.hasOwn(value, result) ? undefined : `it has no field “${result}”`
  const found = value[result]
  if (many && found === null && endpoint.method === 'GET') return undefined
  if (many && !Array.isArray(found)) return `${result} is not a list`
  const id = getIdField(endpoint)
  const items: readonly unknown[] = many && Array.isArray(found) ? found : [found]
  const invalidIndex = items.findIndex((item) => !isRecord(item) || !isId(item[id]))
  if (invalidIndex < 0) return undefined
  return `${many ? `${result}[${invalidIndex}]` : result} has no ${id}`
}

export function getIdField({ resource }: Endpoint): string {
  const { id = 'id' }: { id?: string } = resources[resource]
  return id
}

/** Returns true for non-empty text and for finite numbers, because some services use numeric IDs. */
export function isId(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || Number.isFinite(value)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
