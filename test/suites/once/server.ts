import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { listen } from '../../helpers/listen.ts'
import type { World } from '../../helpers/world.ts'
import { type Behavior, misbehaviors } from './misbehavior.ts'

/** Record of one requested change. */
export interface Known {
  behaviors: Behavior[]
  /** Number of times that the change was made. */
  made: number
}

/**
 * Starts the service of a world on a real socket. POST requests are recorded and get the behavior that
 * `behaviorOf` returns. Other requests get correct responses.
 * @param behaviorOf returns the behavior for the request number `nth` (from 0) with the body `change`
 */
export async function startMisbehaving(world: World, behaviorOf: (change: string, nth: number) => Behavior) {
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
    const record = known.get(text) ?? { behaviors: [], made: 0 }
    known.set(text, record)
    const behavior = behaviorOf(text, record.behaviors.push('') - 1)
    record.behaviors[record.behaviors.length - 1] = behavior
    const misbehavior = misbehaviors[behavior]
    const answer = !misbehavior || misbehavior.acts ? await act() : undefined
    if (answer?.status === 200) record.made++
    if (!misbehavior)
      return response
        .writeHead(answer?.status ?? 500, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer?.body))
    const { socket } = request
    if (misbehavior.resets && misbehavior.bytes.length > 0) {
      socket.write(misbehavior.bytes)
      // Without the pause, the reset could discard the bytes.
      await pause(1)
    }
    if (misbehavior.resets) socket.resetAndDestroy()
    else socket.end(misbehavior.bytes)
  })
  return { baseUrl: `http://127.0.0.1:${await listen(server)}/v1`, known }
}
