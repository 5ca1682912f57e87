import { findClosest } from '../../api/closest.ts'
import { type Endpoint, endpoints } from '../../api/endpoints.ts'

const wrongMethod = 0.6
const missingSegment = 0.5
const similarWord = 0.3
const param = 0.1

/** Describes the operation that is nearest to a request, as in `createRoom (POST /v1/rooms)`. */
export function describeNearestOperation(method: string, path: string): string {
  const segments = splitPath(path.replace(/^\/v1(?=\/|$)/, ''))
  // Updates are PUT requests here, and PATCH requests in many other APIs.
  const wanted = method === 'PATCH' ? 'PUT' : method
  const [nearest] = Object.entries<Endpoint>(endpoints)
    .map(([name, endpoint]) => ({
      text: `${name} (${endpoint.method} /v1${endpoint.path})`,
      cost: (endpoint.method === wanted ? 0 : wrongMethod) + compareSegments(endpoint, segments),
    }))
    .sort((a, b) => a.cost - b.cost)
  return nearest?.text ?? ''
}

function compareSegments(endpoint: Endpoint, segments: readonly string[]): number {
  const expected = splitPath(endpoint.path)
  const count = Math.max(expected.length, segments.length)
  return Array.from({ length: count }, (_, i) => compareSegment(expected[i], segments[i])).reduce(
    (sum, cost) => sum + cost,
    0,
  )
}

function compareSegment(expected: string | undefined, segment: string | undefined): number {
  if (expected === undefined || segment === undefined) return missingSegment
  if (expected === segment) return 0
  if (expected.startsWith('{')) return param
  return findClosest(segment, [expected]) ? similarWord : 1
}

const splitPath = (path: string) => path.split('/').filter((segment) => segment !== '')
