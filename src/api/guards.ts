import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'
import { type Fields, type FieldType, listed } from './resource.ts'
import { paging, type ResourceName, resources } from './resources.ts'

type Check = (value: unknown) => boolean

/** The checks of the fields that an answer can be wrong in. */
export type Guard = Readonly<Record<string, Check>>

/** The guard of a table of fields: what the document lists, and nothing else that a service sends. */
export function guardOf(fields: Fields): Guard {
  const checks = listed(fields).map(([name, { type, answer }]) => [
    name,
    answer === 'always' ? checkOf(type) : nullish(checkOf(type)),
  ])
  return Object.fromEntries(checks)
}

function checkOf(type: FieldType): Check {
  if (typeof type === 'object') {
    if ('list' in type) {
      const guard = guardOf(type.list)
      return (value) => Array.isArray(value) && value.every((item) => accepts(guard, item))
    }
    if ('object' in type) {
      const guard = guardOf(type.object)
      return (value) => accepts(guard, value)
    }
    return isText
  }
  switch (type) {
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'number':
    case 'integer':
    case 'seconds':
      return Number.isFinite
    case 'headers':
      return (value) => isRecord(value) && Object.values(value).every(isText)
    default:
      return isText
  }
}

const isText: Check = (value) => typeof value === 'string'

function nullish(check: Check): Check {
  return (value) => value === null || value === undefined || check(value)
}

/** Whether a value has the shape that a guard asks for. */
export function accepts(guard: Guard, value: unknown): boolean {
  if (!isRecord(value)) return false
  for (const field in guard) if (!guard[field]?.(value[field])) return false
  return true
}

const guards = Object.fromEntries(
  Object.entries(resources).map(([name, { fields }]) => [name, guardOf(fields)]),
) as Record<ResourceName, Guard>
const pagingGuard = guardOf(paging)
const hasPaging = nullish((value) => accepts(pagingGuard, value))

/**
 * Whether an answer fits the schema of its operation, without zod: loading that takes longer than the request. A test holds
 * the guards against the schemas; `validate.ts` says what is wrong where something is.
 */
export function fits(name: OperationName, value: unknown): boolean {
  const endpoint: Endpoint = endpoints[name]
  const guard = guards[endpoint.resource]
  if (endpoint.bare) return accepts(guard, value)
  if (!isRecord(value)) return false
  const found = value[endpoint.result]
  const items = endpoint.many ? found : [found]
  if (!Array.isArray(items) || !items.every((item) => accepts(guard, item))) return false
  return !endpoint.paging || hasPaging(value['paging'])
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
