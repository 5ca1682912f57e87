import type { LogEntry } from '../../../embedded/common/log.ts'
import type { Host } from '../../../host.ts'
import type { Printer } from '../../output/printer.ts'

export const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

export interface ServiceLog {
  write(entry: LogEntry): void
  /** Writes a message of the `serve` command itself. */
  say(message: string): Promise<void>
}

export async function createServiceLog(
  { now }: Host,
  printer: Printer,
  format: LogFormat,
): Promise<ServiceLog> {
  // Formatting lines that are not printed takes 5 % of the CPU time of a request.
  if (printer.options.quiet) return { write() {}, async say() {} }
  const { formatLogLine } = await import('../../../embedded/common/log.ts')
  const time = () => new Date(now()).toISOString()
  const print = (entry: LogEntry) => printer.notice(JSON.stringify({ time: time(), ...entry }))
  if (format === 'json')
    return {
      write: (entry) =>
        void print(entry.event === 'request' ? { ...entry, ms: roundTenth(entry.ms) } : entry),
      say: (message) => print({ event: 'notice', message }),
    }
  return {
    write: (entry) => void printer.notice(`${time()} ${formatLogLine(entry)}`),
    say: (message) => printer.notice(message),
  }
}

const roundTenth = (value: number) => Math.round(value * 10) / 10
