import { AuthError, MeetroomError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'

/**
 * Verifies that a service accepts the key.
 * @returns the base URL that responded: the given one, or the given one with `/v1`
 * @throws {MeetroomError} when the key is refused, or no service responds at either base URL
 */
export async function verifyKey(context: Context, given: string, key: string): Promise<string> {
  let first: MeetroomError | undefined
  for (const baseUrl of given.endsWith('/v1') ? [given] : [given, `${given}/v1`]) {
    const client = await context.services.clientFor(baseUrl, key)
    try {
      await client.call('listRooms', { query: { limit: 1 } })
      if (baseUrl !== given) await context.notice(`the service is at ${baseUrl}; this base URL is stored`)
      return baseUrl
    } catch (error) {
      if (!(error instanceof MeetroomError) || error.status === undefined) throw error
      first ??= refusedKey(error, given)
      // Other programs also return 401, so only the refusal of a Meeting Room Service is final.
      if (error instanceof AuthError && (await client.isService())) throw refusedKey(error, given)
    }
  }
  throw first
}

function refusedKey(error: MeetroomError, baseUrl: string): MeetroomError {
  if (!(error instanceof AuthError)) return error
  const { status, request } = error
  return new AuthError(`${new URL(baseUrl).origin} refuses this key; nothing was stored`, { status, request })
}
