import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import { durationBounds, type RequestMetrics } from './request-metrics.ts'

export interface Gauges {
  openSessions(): number
  waitingDeliveries(): number
}

export function createExposition(
  requests: RequestMetrics,
  gauges: Gauges,
): { contentType: string; format(): Promise<string> } {
  const registry = new Registry()
  const registers = [registry]
  new Counter({
    name: 'meetroom_requests_total',
    help: 'Requests by operation and HTTP status.',
    labelNames: ['operation', 'status'],
    registers,
    collect() {
      this.reset()
      for (const [operation, { statuses }] of requests.operations)
        for (const [status, count] of statuses) this.inc({ operation, status }, count)
    },
  })
  registry.registerMetric(createDurations(requests))
  const addGauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read())
      },
    })
  addGauge('meetroom_open_sessions', 'Sessions that are connected.', gauges.openSessions)
  addGauge(
    'meetroom_webhook_deliveries_waiting',
    'Webhook events that are not delivered yet.',
    gauges.waitingDeliveries,
  )
  collectDefaultMetrics({ register: registry })
  return { contentType: registry.contentType, format: () => registry.metrics() }
}

/** Creates the histogram from counts, because a `Histogram` of prom-client must observe each request. */
function createDurations({ operations }: RequestMetrics): Metric {
  const name = 'meetroom_request_duration_seconds'
  const get = async () => ({
    ...{ name, help: 'Duration of requests in seconds, by operation.', type: 'histogram' },
    values: [...operations].flatMap(([operation, { buckets, seconds }]) => {
      let count = 0
      const cumulated = buckets.map((inBucket, i) => {
        count += inBucket
        const labels = { operation, le: durationBounds[i] ?? '+Inf' }
        return { metricName: `${name}_bucket`, labels, value: count }
      })
      return [
        ...cumulated,
        { metricName: `${name}_sum`, labels: { operation }, value: seconds },
        { metricName: `${name}_count`, labels: { operation }, value: count },
      ]
    }),
  })
  return { name, get, reset() {} } as unknown as Metric
}
