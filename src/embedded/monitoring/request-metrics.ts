/** Upper bounds of the buckets of durations, in seconds. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts and durations of requests. Recording is always active and must therefore be cheap. */
export class RequestMetrics {
  /** `buckets`: number of requests per bucket of `durationBounds`; the last bucket has no upper bound. */
  readonly operations = new Map<
    string,
    { statuses: Map<number | 'none', number>; buckets: number[]; seconds: number }
  >()

  /** @param status `none` without a response */
  record(operation: string, status: number | 'none', ms: number): void {
    let metrics = this.operations.get(operation)
    if (!metrics) {
      metrics = { statuses: new Map(), buckets: durationBounds.map(() => 0).concat(0), seconds: 0 }
      this.operations.set(operation, metrics)
    }
    const seconds = ms / 1000
    let bucket = 0
    while (seconds > (durationBounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    metrics.buckets[bucket] = (metrics.buckets[bucket] ?? 0) + 1
    metrics.statuses.set(status, (metrics.statuses.get(status) ?? 0) + 1)
    metrics.seconds += seconds
  }
}
