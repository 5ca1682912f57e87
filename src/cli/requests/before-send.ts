import { isDestructive } from '../../api/destructive.ts'
import type { WireRequest } from '../../api/wire.ts'
import type { Settings } from '../../config/settings.ts'
import { UsageError } from '../../errors.ts'
import type { Printer } from '../output/printer.ts'
import { visibleJson } from '../output/terminal/visible.ts'
import type { Backup } from './backup.ts'
import type { Change } from './confirm.ts'
import { formatCurl, formatRequest, maskedRequest } from './request.ts'

/** Thrown after `--dry-run` or `--curl` has shown a request instead of sending it. The command then exits 0. */
export class RequestShown extends Error {}

/** Awaits a request; undefined when it was shown instead of sent. */
export async function undefinedIfShown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof RequestShown) return undefined
    throw error
  }
}

export interface SendFlags {
  dryRun?: boolean
  curl?: boolean
  allowWrite?: boolean
  allProfiles?: boolean
}

export interface SendPolicy {
  flags: SendFlags
  settings: Settings
  printer: Printer
  /** Asks for confirmation, unless the command has already asked. */
  confirm: (change: Change) => Promise<void>
  /** Opens the backup of deleted items; undefined when none is requested. */
  saver: () => Promise<Backup | undefined>
}

/**
 * Creates the check that every request passes. `--curl` sends only lookups, `--dry-run` and protected profiles
 * send no writes, destructive requests need confirmation, and a backup precedes deletions.
 */
export function beforeSend(
  { flags, settings, printer, confirm, saver }: SendPolicy,
  baseUrl: string,
  { confirmed = false, lookup = false }: { confirmed?: boolean; lookup?: boolean },
) {
  async function show(request: WireRequest): Promise<never> {
    const shown = printer.options.showTokens ? request : maskedRequest(request)
    const text = flags.curl ? formatCurl(shown) : formatRequest(shown, printer.options.format)
    await printer.data(text, visibleJson)
    throw new RequestShown()
  }
  function ask(request: WireRequest): Promise<void> {
    const label = `${request.method} ${new URL(request.url).pathname}`
    return confirm({ doing: label, describe: async () => `Send ${label}` })
  }
  async function saveThenSend({ url }: WireRequest, asked: Promise<void> | undefined): Promise<void> {
    await asked
    const backup = await saver()
    await backup?.beforeDelete(url.slice(baseUrl.length))
  }
  return (request: WireRequest): Promise<void> | undefined => {
    const isRead = request.method === 'GET'
    if (flags.curl && !(lookup && isRead)) return show(request)
    if (isRead) return undefined
    if (flags.allProfiles) throw new UsageError('--all-profiles only reads: nothing is changed')
    if (flags.dryRun) return show(request)
    requireWritable(flags, settings)
    const asked = confirmed || !isDestructive(request) ? undefined : ask(request)
    return request.method === 'DELETE' ? saveThenSend(request, asked) : asked
  }
}

/**
 * Checks that the profile allows changes.
 * @throws {UsageError} when the profile is protected or unreadable, unless `--allow-write` is set
 */
export function requireWritable({ curl, dryRun, allowWrite }: SendFlags, settings: Settings): void {
  const { profile, protectedBy, unread } = settings
  if (curl || dryRun || allowWrite) return
  if (unread)
    throw new UsageError(`${unread.message}, and it may protect the local workspace`, {
      hint: 'fix it, or pass --allow-write if you mean it',
      cause: unread,
    })
  if (protectedBy === undefined) return
  const label =
    protectedBy === profile.value
      ? `the profile ${protectedBy} is protected against changes`
      : `the profile ${protectedBy} protects this service: nothing is changed there`
  throw new UsageError(label, { hint: 'pass --allow-write if you mean it' })
}
