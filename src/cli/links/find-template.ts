import { exampleTemplate } from '../../config/link-template.ts'
import { suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { findEmbeddedService, reachableOrigin } from '../requests/embedded-service.ts'
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

/** Returns the origin of the room pages of the embedded service; undefined for any other service. */
async function findRoomPages(context: Context): Promise<string | undefined> {
  const { local } = await context.settings()
  return local
    ? reachableOrigin(await context.services.persistentBaseUrl('room pages'))
    : findEmbeddedService(context)
}
