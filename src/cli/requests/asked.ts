import type { Host } from '../../host.ts'

/** The person to ask. */
export interface Asked {
  host: Host
  /** Aborted by SIGINT and SIGTERM. */
  interrupt: AbortSignal
}
