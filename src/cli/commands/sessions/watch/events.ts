import type { Printed } from '../../../output/schemas/printed.ts'

export type TimedWatchEvent = Printed['sessions watch']

type WithoutTime<E> = E extends unknown ? Omit<E, 'at' | 'room_id'> : never

export type WatchEvent = WithoutTime<TimedWatchEvent>

type FieldsOf<Name> = Omit<Extract<WatchEvent, { event: Name }>, 'event'>

export type RoomState = FieldsOf<'room'>

export type PresentPerson = FieldsOf<'present'>

export interface PlacedPerson extends PresentPerson {
  room_id: string
}

export interface WatchScene {
  online: number
  /** Number of rooms with people. */
  inUse: number
  /** Lists the people of each room in order of arrival. */
  people: () => Iterable<PlacedPerson>
}

export interface WatchOutput {
  tell(event: TimedWatchEvent): Promise<void>
  settle(scene: WatchScene): Promise<void>
  close(): Promise<void>
}
