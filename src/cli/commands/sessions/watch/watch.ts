import { setMaxListeners } from 'node:events'
import type { Context } from '../../../kernel/context.ts'
import type { WatchEvent } from './events.ts'
import { createWatchOutput } from './output.ts'
import { longestPauseMs, Reconnector } from './reconnector.ts'
import { RoomConnection } from './room-connection.ts'
import type { RoomPoll } from './room-reader.ts'
import { RosterDiff } from './roster-diff.ts'
import type { WatchOutput } from './scene.ts'

interface Watching {
  /** Pause between two polls, in milliseconds. */
  interval: number
}

/**
 * Watches a room by polling, because the API has no change events for administrators: webhooks must be set at creation
 * and need a public URL.
 */
export async function runWatch(context: Context, room_id: string, { interval }: Watching): Promise<void> {
  const { host, interrupt } = context
  const openShow = await createWatchOutput(context)
  const leaving = new AbortController()
  const stop = AbortSignal.any([interrupt, leaving.signal])
  // Each pending request adds a listener.
  setMaxListeners(0, stop)

  let show: WatchOutput | undefined
  const tell = async (happening: WatchEvent) => {
    const at = new Date(host.now()).toISOString()
    await show?.tell(Object.assign({ at, event: happening.event, room_id }, happening))
  }
  const news = new RosterDiff(tell)
  const contact = new Reconnector(host, { tell, notice: (text) => context.notice(text) })
  const link = new RoomConnection(context, room_id, {
    interrupt: stop,
    onRetry: (retry) => contact.onRetry(retry),
  })
  const settle = ({ room }: RoomPoll) => {
    const { roster } = news
    return show?.settle({ room, online: roster.size, people: () => roster.people() })
  }

  const first = await link.look(news.roster)
  // The watch was interrupted before it started.
  if (stop.aborted) throw stop.reason
  contact.begin()
  let tookMs = 0
  const ask = async () => {
    const began = host.monotonic()
    try {
      return await link.look(news.roster)
    } finally {
      tookMs = host.monotonic() - began
    }
  }
  try {
    show = await openShow(room_id, () => leaving.abort())
    await news.begin(first)
    await settle(first)
    for (;;) {
      // Pauses at least as long as the poll took, to limit the load. Capped, because some clocks run while a machine
      // sleeps.
      await host.sleep(Math.max(interval, Math.min(tookMs, longestPauseMs)), stop)
      const look = await contact.until(ask, stop)
      await news.continue(look)
      await settle(look)
    }
  } catch (error) {
    // Aborting is the normal end of a watch.
    if (!stop.aborted) throw error
  } finally {
    await show?.close()
  }
}
