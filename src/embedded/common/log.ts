export interface RequestEntry {
  event: 'request'
  method: string
  /** Path without the query, which may contain a person's name. */
  path: string
  status: number
  ms: number
  request_id: string
}

export type LogEntry =
  | RequestEntry
  | { event: 'connect'; room_id: string; outcome: string; request_id: string }
  | { event: 'webhook'; webhook_id: string; host: string; outcome: string }
  | { event: 'notice'; message: string }

export type Log = (entry: LogEntry) => void

export function formatLogLine(entry: LogEntry): string {
  switch (entry.event) {
    case 'request': {
      const { method, path, status, ms, request_id } = entry
      return `${method} ${path} ${status} ${ms.toFixed(1)} ms ${request_id}`
    }
    case 'connect':
      return `connect ${entry.room_id} ${entry.outcome} ${entry.request_id}`
    case 'webhook':
      return `webhook ${entry.webhook_id} ${entry.host} ${entry.outcome}`
    case 'notice':
      return entry.message
  }
}

export const logNotice = (log: Log) => (message: string) => log({ event: 'notice', message })
