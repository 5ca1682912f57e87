import type { Route } from '../../api/endpoints.ts'
import type { ConnectionCheck, Transport } from '../../api/wire.ts'
import type { AuditTrail } from '../../client/audit-trail.ts'
import type { ReadPages } from '../../client/client.ts'
import type { AnyInput } from '../../client/request.ts'
import type { GlobalFlags } from '../../config/global-flags.ts'
import type { Settings } from '../../config/settings.ts'
import type { Hint } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { Printer } from '../output/printer.ts'
import type { Redact } from '../output/redaction/redaction.ts'
import type { Backup } from './backup.ts'
import type { CompletedChanges } from './completed-changes.ts'

export type OpenTransport = Transport & { close?(): Promise<void> | void }

/** Function that connects to a service over the network. Tests pass another function. */
export type Connect = (
  baseUrl: string,
  host: Host,
  connections?: number,
  isTrusted?: ConnectionCheck,
) => Promise<OpenTransport>

export interface Change {
  activity: string
  describe: () => Promise<string>
  /** Rejects if an item does not exist. Awaited before a refusal, because `--yes` and `--max` do not help then. */
  requireItems?: () => Promise<unknown>
  count?: number
}

export interface Audit {
  /** @param place origin of the service, or data directory of the local workspace */
  trail(place: string, endpoint: Route, input: AnyInput): AuditTrail
  /** Stores the users of the members in a response, for the audit log of later changes. */
  noteMembers(input: AnyInput, response: unknown): void
}

/** Context of a command for lower layers. */
export interface RunningCommand {
  readonly host: Host
  readonly flags: GlobalFlags
  readonly command: string
  readonly interrupt: AbortSignal
  readonly connect: Connect
  readonly changes: CompletedChanges
  readonly redact: Redact
  /** Masks keys but not access tokens, which the user may have requested. */
  readonly redactKeys: Redact
  addSecret(secret: string | undefined): void
  settings(): Promise<Settings>
  printer(): Promise<Printer>
  notice(text: Hint): Promise<void>
  key(): Promise<string>
  /** Returns the audit log; undefined if auditing is off. */
  audit(): Promise<Audit | undefined>
  /** Returns the backup of deleted records; undefined if backups are off. */
  backup(): Promise<Backup | undefined>
  /** Asks for confirmation, unless the command has already asked. */
  confirm(change: Change): Promise<void>
  /** Reads a list to prove that writes succeeded. */
  readList(...args: Parameters<ReadPages>): ReturnType<ReadPages>
  closeLater(close: () => Promise<void> | void): void
}
