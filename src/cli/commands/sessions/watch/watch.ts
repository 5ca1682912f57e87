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
  /** Milliseconds between two looks. */
  interval: number
}

/**
 * Follows a room by looking at it again and again, until it is gone or somebody ends the watch. The document has nothing that
 * announces changes to an administrator: a webhook has to be asked for when the room is created, and needs a public address.
 */
export async function runWatch(context: Context, room_id: string, { interval }: Watching): Promise<void> {
  const { host, interrupt } = context
  const openShow = await createWatchOutput(context)
  const leaving = new AbortController()
  const stop = AbortSignal.any([interrupt, leaving.signal])
  // Every request under way listens.
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
  // What never began was interrupted.
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
      // A room that takes long to read is not read all the time. While a machine sleeps, some clocks go on.
      await host.sleep(Math.max(interval, Math.min(tookMs, longestPauseMs)), stop)
      const look = await contact.until(ask, stop)
      await news.continue(look)
      await settle(look)
    }
  } catch (error) {
    // That is how a watch ends.
    if (!stop.aborted) throw error
  } finally {
    await show?.close()
  }
}
