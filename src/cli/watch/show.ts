import type { Context } from '../context.ts'
import type { Person, RoomFacts, Told } from './events.ts'

/** What there is to see of a room now. */
export interface Scene {
  room: RoomFacts
  online: number
  /** Who is there, in the order in which they were found. */
  people: () => Iterable<Person>
}

/** How a watch is shown: line by line to programs, as a view to people. */
export interface Show {
  /** Tells what happens, one after the other. */
  tell(told: Told): Promise<void>
  /** All that a look has found has been told. */
  settle(scene: Scene): Promise<void>
  /** Leaves the terminal as it was. */
  close(): void
}

/** @param leave called when somebody ends the watch at the keyboard */
export async function openShow(context: Context, room_id: string, leave: () => void): Promise<Show> {
  const printer = await context.printer()
  const { stdout, env } = context.host
  if (stdout.isTTY && env['TERM'] !== 'dumb' && !printer.printsJson) {
    const { RoomView } = await import('./room-view.ts')
    return RoomView.open(context, stdout, room_id, leave)
  }
  return { tell: (told) => printer.json(told), settle: async () => {}, close() {} }
}
