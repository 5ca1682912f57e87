import type { Printed } from '../../../output/schemas/printed.ts'

export type TimedWatchEvent = Printed['sessions watch']

type WithoutTime<E> = E extends unknown ? Omit<E, 'at' | 'room_id'> : never

export type WatchEvent = WithoutTime<TimedWatchEvent>

type FieldsOf<Name> = Omit<Extract<WatchEvent, { event: Name }>, 'event'>

export type RoomState = FieldsOf<'room'>

export type PresentPerson = FieldsOf<'present'>
