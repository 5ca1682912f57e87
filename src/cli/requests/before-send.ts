import type { Resource } from '../../api/resource-types.ts'
import { resources } from '../../api/resources.ts'
import type { WireRequest } from '../../api/wire.ts'
import type { Client } from '../../client/client.ts'
import type { GlobalFlags } from '../../config/global-flags.ts'
import type { Settings } from '../../config/settings.ts'
import { UsageError } from '../../errors.ts'
import { visibleJson } from '../output/terminal/visible.ts'
import type { RunningCommand } from './running-command.ts'

/** Signal that `--dry-run` or `--curl` printed a request instead of sending it. */
export class RequestPreview extends Error {}

/** Prints the request for each item with `--dry-run` or `--curl`. */
export async function previewEach<T>(
  context: { client(): Promise<Client> },
  items: Iterable<T>,
  request: (client: Client, item: T) => Promise<unknown>,
): Promise<void> {
  const client = await context.client()
  for (const item of items)
    await request(client, item).catch((error: unknown) => {
      if (!(error instanceof RequestPreview)) throw error
    })
}

/** Creates the check that each request of a client must pass. */
export async function createSendCheck(
  context: RunningCommand,
  baseUrl: string,
  { confirmed = false, lookup = false }: { confirmed?: boolean; lookup?: boolean },
) {
  const { flags } = context
  const settings = await context.settings()
  const printer = await context.printer()
  async function show(request: WireRequest, prefix = ''): Promise<void> {
    const { formatShownRequest } = await import('./request.ts')
    const text = formatShownRequest(request, flags.curl === true, context.redactKeys, printer.options)
    await printer.data(prefix + text, visibleJson)
  }
  async function preview(request: WireRequest): Promise<never> {
    await show(request)
    throw new RequestPreview()
  }
  function ask(request: WireRequest): Promise<void> {
    const label = `${request.method} ${new URL(request.url).pathname}`
    return context.confirm({ activity: label, describe: async () => `Send ${label}` })
  }
  async function saveThenSend({ url }: WireRequest, confirmation: Promise<void> | undefined): Promise<void> {
    await confirmation
    const backup = await context.backup()
    await backup?.beforeDelete(url.slice(baseUrl.length))
  }
  return (request: WireRequest): Promise<void> | undefined => {
    const isRead = request.method === 'GET'
    if (flags.curl && !(lookup && isRead)) return preview(request)
    // The first page is enough to repeat the lookup.
    if (flags.curl) return /[?&]offset=[1-9]/.test(request.url) ? undefined : show(request, '# ')
    if (isRead) return undefined
    if (flags.allProfiles)
      throw new UsageError(
        '--all-profiles cannot be used with requests that change data; nothing was changed',
      )
    if (flags.dryRun) return preview(request)
    requireWritable(flags, settings)
    const confirmation = confirmed || !isDestructive(request) ? undefined : ask(request)
    return request.method === 'DELETE' ? saveThenSend(request, confirmation) : confirmation
  }
}

/** @throws {UsageError} if the service is or may be protected, and no flag permits the request */
export function requireWritable({ curl, dryRun, allowWrite }: GlobalFlags, settings: Settings): void {
  const { profile, protectedBy, readError, local } = settings
  if (curl || dryRun || allowWrite) return
  if (readError)
    throw new UsageError(
      `${readError.message}, so it is unknown whether a profile protects ${local ? 'the local workspace' : 'this service'}`,
      {
        hint: 'fix the settings file, or pass --allow-write to make the change anyway',
        cause: readError,
      },
    )
  if (protectedBy === undefined) return
  const label =
    protectedBy === profile.value
      ? `the profile ${protectedBy} is protected against changes`
      : `the profile ${protectedBy} protects this service against changes`
  throw new UsageError(label, { hint: 'pass --allow-write to make the change anyway' })
}

const destructiveFields = Object.values<Resource>(resources).flatMap(({ fields }) =>
  Object.keys(fields).filter((name) => fields[name]?.destructive),
)
// Text values cannot match, because JSON escapes the quotes in strings.
const setsDestructive = new RegExp(`"(${destructiveFields.join('|')})":true`)

function isDestructive({ method, body }: WireRequest): boolean {
  return method === 'DELETE' || (body !== undefined && setsDestructive.test(body))
}
