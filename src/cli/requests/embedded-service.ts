import { isLoopback } from '../../api/loopback.ts'
import { TransportError } from '../../api/wire.ts'
import type { RunningCommand } from './running-command.ts'

/**
 * Returns an origin only if an embedded service responds. Sends no key, and requests only to this machine.
 * With `--curl`, sends nothing.
 */
export async function findEmbeddedService(context: RunningCommand): Promise<string | undefined> {
  const { baseUrl } = await context.settings()
  const origin = baseUrl && reachableOrigin(baseUrl.value)
  if (origin === undefined || !isLoopback(new URL(origin).hostname)) return undefined
  if (context.flags.curl) return origin
  const transport = await context.connect(origin, context.host)
  try {
    const request = { method: 'GET', url: `${origin}/rooms/-`, headers: {} }
    const { status, headers } = await transport(request, context.interrupt)
    return status === 200 && headers['server'] === 'meetroom' ? origin : undefined
  } catch (error) {
    if (error instanceof TransportError) return undefined
    throw error
  } finally {
    await transport.close?.()
  }
}

/** Returns the origin, with the loopback address instead of the address of all interfaces. */
export function reachableOrigin(baseUrl: string): string {
  const url = new URL(baseUrl)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return url.origin
}
