import { setMaxListeners } from 'node:events'
import type { Context } from '../context.ts'
import { Contact, longestPauseMs } from './contact.ts'
import type { Happening } from './events.ts'
import { Link } from './link.ts'
import { News } from './news.ts'
import type { Look } from './room-reader.ts'
import type { Show } from './scene.ts'
import { chooseShow } from './show.ts'

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
  const openShow = await chooseShow(context)
  const leaving = new AbortController()
  const stop = AbortSignal.any([interrupt, leaving.signal])
  // Every request under way listens.
  setMaxListeners(0, stop)

  let show: Show | undefined
  const tell = async (happening: Happening) => {
    const at = new Date(host.now()).toISOString()
    await show?.tell(Object.assign({ at, event: happening.event, room_id }, happening))
  }
  const news = new News(tell)
  const contact = new Contact(host, { tell, notice: (text) => context.notice(text) })
  const link = new Link(context, room_id, { interrupt: stop, onRetry: (retry) => contact.onRetry(retry) })
  const settle = ({ room }: Look) => {
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
