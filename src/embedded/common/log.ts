export interface RequestEntry {
  event: 'request'
  method: string
  /** Path without the query, which may contain a person's name. */
  path: string
  /** null without a response */
  status: number | null
  /** True if the connection closed before the whole response was sent. */
  cut?: true
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
      const { method, path, status, cut, ms, request_id } = entry
      const outcome = [status, cut && 'cut'].filter(Boolean).join(' ')
      return `${method} ${path} ${outcome} ${ms.toFixed(1)} ms ${request_id}`
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
