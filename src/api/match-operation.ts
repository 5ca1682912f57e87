import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'

export function matchOperation(method: string, path: string) {
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const pattern = `^${endpoint.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`
    const match = endpoint.method === method ? new RegExp(pattern).exec(path) : null
    if (!match) continue
    const params = Object.entries(match.groups ?? {}).map(([param, text]) => [param, decodeSegment(text)])
    return { name: name as OperationName, params: Object.fromEntries(params) as Record<string, string> }
  }
  return undefined
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
