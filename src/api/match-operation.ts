import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'

export function matchOperation(
  method: string,
  path: string,
): { name: OperationName; params: Readonly<Record<string, string>> } | undefined {
  const segments = path.split('/')
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const params = endpoint.method === method ? matchSegments(endpoint.path.split('/'), segments) : undefined
    if (params) return { name: name as OperationName, params }
  }
  return undefined
}

function matchSegments(
  template: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (template.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of template.entries()) {
    const segment = segments[i] ?? ''
    const [, param] = /^\{(\w+)\}$/.exec(part) ?? []
    if (param === undefined ? segment !== part : segment === '') return undefined
    if (param !== undefined) params[param] = decodeSegment(segment)
  }
  return params
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
