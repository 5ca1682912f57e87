import type { WireRequest } from '../../api/wire.ts'
import { toStorageFault, unauthorized } from '../common/faults.ts'
import { isAuthorized } from '../common/requests.ts'
import { createTextResponse, type TextResponse } from '../service/response.ts'
import { createErrorResponse, type Service } from '../service/service.ts'
import type { Gauges } from './exposition.ts'
import type { RequestMetrics } from './request-metrics.ts'

interface MonitoringOptions {
  apiKey: string
  requests: RequestMetrics
  gauges: Gauges
  isDraining(): boolean
  /** @throws a storage failure if the workspace cannot be used */
  checkStorage(): void
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

export function withMonitoring(service: Service, options: MonitoringOptions): Service {
  const { apiKey, requests, gauges, isDraining, checkStorage } = options
  const expectedHeader = Buffer.from(`Bearer ${apiKey}`)
  let exposition: ReturnType<typeof import('./exposition.ts').createExposition> | undefined

  function readiness(): TextResponse {
    if (isDraining()) return createTextResponse(503, plain, 'draining\n')
    try {
      checkStorage()
    } catch (error) {
      if (!toStorageFault(error)) throw error
      return createTextResponse(503, plain, 'storage failed\n')
    }
    return createTextResponse(200, plain, 'ready\n')
  }

  async function metrics({ headers }: WireRequest): Promise<TextResponse> {
    if (!isAuthorized(headers['authorization'], expectedHeader)) return createErrorResponse(unauthorized())
    // Loaded on first use, because loading prom-client takes longer than a request.
    exposition ??= (await import('./exposition.ts')).createExposition(requests, gauges)
    return createTextResponse(200, { 'content-type': exposition.contentType }, await exposition.format())
  }

  return async (request) => {
    const { method, url } = request
    if (method !== 'GET' && method !== 'HEAD') return service(request)
    switch (url.split('?')[0]) {
      case '/healthz':
        return createTextResponse(200, plain, 'ok\n')
      case '/readyz':
        return readiness()
      case '/metrics':
        return metrics(request)
      default:
        return service(request)
    }
  }
}
