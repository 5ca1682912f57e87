import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { listen } from '../../helpers/listen.ts'
import type { World } from '../../helpers/world.ts'
import { type Deed, mischiefs } from './mischief.ts'

/** Record of one requested change. */
export interface Known {
  /** Behavior on each request. */
  deeds: Deed[]
  /** Number of times that the change was made. */
  made: number
}

/**
 * Starts the service of a world on a real socket. The server records every POST request and behaves as
 * `deedOf` says. It responds correctly to all other requests.
 * @param deedOf returns the behavior on the nth request for a change, which the body identifies
 */
export async function startMischievous(world: World, deedOf: (change: string, nth: number) => Deed) {
  const known = new Map<string, Known>()
  const server = createServer({ noDelay: true }, async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const method = request.method ?? ''
    const path = (request.url ?? '').slice('/v1'.length)
    const act = () => world.send(method, path, text === '' ? undefined : JSON.parse(text))
    if (method !== 'POST') {
      const { status, body } = await act()
      return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const record = known.get(text) ?? { deeds: [], made: 0 }
    known.set(text, record)
    const deed = deedOf(text, record.deeds.push('') - 1)
    record.deeds[record.deeds.length - 1] = deed
    const mischief = mischiefs[deed]
    const answer = !mischief || mischief.acts ? await act() : undefined
    if (answer?.status === 200) record.made++
    if (!mischief)
      return response
        .writeHead(answer?.status ?? 500, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer?.body))
    const { socket } = request
    if (mischief.resets && mischief.bytes.length > 0) {
      socket.write(mischief.bytes)
      // Without the pause, the reset would discard the bytes.
      await pause(1)
    }
    if (mischief.resets) socket.resetAndDestroy()
    else socket.end(mischief.bytes)
  })
  return { baseUrl: `http://127.0.0.1:${await listen(server)}/v1`, known }
}
