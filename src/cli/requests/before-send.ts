import { isDestructive } from '../../api/destructive.ts'
import type { WireRequest } from '../../api/wire.ts'
import type { Settings } from '../../config/settings.ts'
import { UsageError } from '../../errors.ts'
import type { Printer } from '../output/printer.ts'
import { visibleJson } from '../output/terminal/visible.ts'
import type { Backup } from './backup.ts'
import type { Change } from './confirm.ts'
import { formatCurl, formatRequest, maskedRequest } from './request.ts'

/** Thrown instead of sending a request that `--dry-run` or `--curl` has shown. The command ends there, and well. */
export class RequestShown extends Error {}

/** What a request answers, or undefined when it was shown instead of sent. */
export async function undefinedIfShown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof RequestShown) return undefined
    throw error
  }
}

/** The flags that decide whether a request is sent. */
export interface SendFlags {
  dryRun?: boolean
  curl?: boolean
  allowWrite?: boolean
  allProfiles?: boolean
}

/** What decides for a request. */
export interface SendPolicy {
  flags: SendFlags
  settings: Settings
  printer: Printer
  /** Asks before a change, unless the command has asked already. */
  confirm: (change: Change) => Promise<void>
  /** What keeps what is deleted; undefined where nobody asks for that. */
  saver: () => Promise<Backup | undefined>
}

/**
 * Decides for every request: `--curl` sends nothing but what finds a room by its name, `--dry-run` and a protected profile
 * send no write, what cannot be undone needs confirmation, and what is deleted is saved first where that is asked for, however it
 * is sent.
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
    const what = `${request.method} ${new URL(request.url).pathname}`
    return confirm({ doing: what, describe: async () => `Send ${what}` })
  }
  async function saved({ url }: WireRequest, asked: Promise<void> | undefined): Promise<void> {
    await asked
    const keeper = await saver()
    await keeper?.beforeDelete(url.slice(baseUrl.length))
  }
  return (request: WireRequest): Promise<void> | undefined => {
    const isRead = request.method === 'GET'
    if (flags.curl && !(lookup && isRead)) return show(request)
    if (isRead) return undefined
    if (flags.allProfiles) throw new UsageError('--all-profiles only reads: nothing is changed')
    if (flags.dryRun) return show(request)
    requireWritable(flags, settings)
    const asked = confirmed || !isDestructive(request) ? undefined : ask(request)
    return request.method === 'DELETE' ? saved(request, asked) : asked
  }
}

/**
 * Whether the profile lets anything be changed. What is only shown changes nothing.
 * @throws {UsageError} when it is protected, or nobody can tell, and the command line has no --allow-write
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
  const what =
    protectedBy === profile.value
      ? `the profile ${protectedBy} is protected against changes`
      : `the profile ${protectedBy} protects this service: nothing is changed there`
  throw new UsageError(what, { hint: 'pass --allow-write if you mean it' })
}
