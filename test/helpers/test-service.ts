import { onTestFinished } from 'vitest'
import { startService } from '../../src/testing/testing.ts'
import type { Seed, StartOptions } from '../../src/testing/types.ts'
import { knock, Peer } from './live.ts'

export const seed: Seed = {
  users: [{ user_id: 'ada', name: 'Ada Lovelace', access_token: 'ada-token' }, { user_id: 'bob' }],
  rooms: [
    { id: 'weekly', name: 'Weekly sync', type: 'open', members: [{ user_id: 'ada', type: 'host' }] },
    { id: 'old', name: 'Old room', type: 'private', is_terminated: true },
  ],
}

export async function startTestService(options: StartOptions = { seed }) {
  const service = await startService(options)
  onTestFinished(async () => void (await service.close().catch(() => {})))
  async function send(method: string, path: string, body?: unknown, apiKey = service.apiKey) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  /**
   * @param silent true if the peer does not respond to pings
   * @throws {Error} if the peer cannot join
   */
  async function join(roomId: string, token?: string, silent = false): Promise<Peer> {
    const query = token === undefined ? '' : `?access_token=${token}`
    const peer = await knock(`${service.baseUrl.replace('http', 'ws')}/rooms/${roomId}/connect${query}`, {
      silent,
    })
    if (peer instanceof Peer) return peer
    throw new Error(`cannot join: ${peer.message}`)
  }
  return {
    ...{ service, send, join },
    createRoom: (name = 'Room') => send('POST', '/rooms', { name, type: 'open' }),
    roomNames: async (): Promise<string[]> =>
      (await send('GET', '/rooms?limit=1000')).body.rooms.map(({ name }: { name: string }) => name),
  }
}
