import { isLoopback } from '../../api/loopback.ts'
import { TransportError } from '../../api/wire.ts'
import { exampleTemplate } from '../../config/link-template.ts'
import { suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { LinkTemplate, roomPageTemplate } from './link-template.ts'

/**
 * Finds the link template of a service: from the settings, or for the room page of the embedded service.
 * @throws {UsageError} when there is no template, or the local workspace is not served
 */
export async function findTemplate(context: Context, kind: 'join' | 'replay'): Promise<LinkTemplate> {
  const settings = await context.settings()
  const template = kind === 'join' ? settings.joinUrl : settings.replayUrl
  if (template) return new LinkTemplate(template.value)
  const origin = kind === 'join' ? await findRoomPages(context) : undefined
  if (origin !== undefined) return new LinkTemplate(roomPageTemplate(origin))
  const key = `${kind}_url`
  // Stored settings are not read if the environment sets the key and the base URL.
  const isStored = settings.local || settings.baseUrl?.from.startsWith('profile ')
  throw new UsageError(`no template for links: ${key} is not set`, {
    hint: isStored
      ? ['set it with: ', suggest(['config', 'set', key, exampleTemplate])]
      : `set it with: export MEETROOM_${key.toUpperCase()}='${exampleTemplate}'`,
  })
}

/** Returns the origin of a service on this machine; undefined if the service has no room pages or is remote. */
async function findRoomPages(context: Context): Promise<string | undefined> {
  const { local, baseUrl } = await context.settings()
  if (!local && !baseUrl) return undefined
  const url = new URL(local ? await context.services.persistentBaseUrl('room pages') : (baseUrl?.value ?? ''))
  // A service on all interfaces is reachable from this machine at the loopback address.
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  if (!isLoopback(url.hostname)) return undefined
  return local || (await hasRoomPages(context, url.origin)) ? url.origin : undefined
}

async function hasRoomPages(context: Context, origin: string): Promise<boolean> {
  const transport = await context.services.transportTo(origin)
  try {
    const request = { method: 'GET', url: `${origin}/rooms/-`, headers: {} }
    const { status, headers } = await transport(request, context.interrupt)
    return status === 200 && headers['server'] === 'meetroom'
  } catch (error) {
    if (error instanceof TransportError) return false
    throw error
  } finally {
    await transport.close?.()
  }
}
