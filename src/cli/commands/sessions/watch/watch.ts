import { setMaxListeners } from 'node:events'
import { readTimeZone } from '../../../calendar/read-time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import type { WatchEvent } from './events.ts'
import { createWatchOutput } from './output.ts'
import { maxPauseMs, Reconnector } from './reconnector.ts'
import { RoomConnection } from './room-connection.ts'
import type { RoomPoll } from './room-reader.ts'
import { RosterDiff } from './roster-diff.ts'
import type { WatchOutput } from './scene.ts'

interface WatchOptions {
  /** Pause between two polls, in milliseconds. */
  interval: number
}

/** Watches a room by polling, because webhooks need a public URL and can be set only when a room is created. */
export async function runWatch(context: Context, room_id: string, { interval }: WatchOptions): Promise<void> {
  const { host, interrupt } = context
  const openOutput = await createWatchOutput(context)
  const leaving = new AbortController()
  const stop = AbortSignal.any([interrupt, leaving.signal])
  // Each pending request adds a listener.
  setMaxListeners(0, stop)

  let output: WatchOutput | undefined
  const tell = async (event: WatchEvent) => {
    const at = new Date(host.now()).toISOString()
    await output?.tell(Object.assign({ at, event: event.event, room_id }, event))
  }
  const rosterDiff = new RosterDiff(tell)
  const reconnector = new Reconnector(host, await readTimeZone(context), {
    tell,
    notice: (text) => context.notice(text),
  })
  const connection = new RoomConnection(context, room_id, {
    interrupt: stop,
    onRetry: (retry) => reconnector.onRetry(retry),
  })
  const settle = ({ room }: RoomPoll) => {
    const { roster } = rosterDiff
    return output?.settle({ room, online: roster.size, people: () => roster.people() })
  }

  const first = await connection.poll(rosterDiff.roster)
  // The watch was interrupted before it started.
  if (stop.aborted) throw stop.reason
  reconnector.begin()
  let tookMs = 0
  const ask = async () => {
    const began = host.monotonic()
    try {
      return await connection.poll(rosterDiff.roster)
    } finally {
      tookMs = host.monotonic() - began
    }
  }
  try {
    output = await openOutput(room_id, () => leaving.abort())
    await rosterDiff.begin(first)
    await settle(first)
    for (;;) {
      // Pauses at least as long as the poll took, to reduce the load. The pause is limited, because some clocks run
      // while the machine sleeps.
      await host.sleep(Math.max(interval, Math.min(tookMs, maxPauseMs)), stop)
      const poll = await reconnector.until(ask, stop)
      await rosterDiff.continue(poll)
      await settle(poll)
    }
  } catch (error) {
    // Aborting is the normal end of a watch.
    if (!stop.aborted) throw error
  } finally {
    await output?.close()
  }
}
