import { member, school } from './school.ts'
import type { World } from './world.ts'

let count = 0

/** Creates a session in 2025. Times are UTC, such as `10-24T08:00`. */
export function visit(user_id: string | null, from: string, to: string | null, more = {}) {
  const at = (time: string) => `2025-${time}:00.000Z`
  const id = `session ${++count}`
  const times = { connected_at: at(from), disconnected_at: to === null ? null : at(to) }
  return { id, member_id: `m-${user_id}`, user_id, ...times, ...more }
}

/**
 * Creates two rooms with sessions before and after the end of daylight-saving time in Europe (26 October
 * 2025). Ada and Grace are in both rooms concurrently; Alan has no session. In Central European Time, a
 * session without a user crosses the end of October.
 */
export function term(world: World): void {
  school(world, {
    maths: {
      room: { name: 'Mathematics 7b' },
      members: [member('ada', { type: 'host' }), member('grace'), member('alan')],
      sessions: [
        visit('ada', '10-24T08:00', '10-24T08:45'),
        visit('grace', '10-24T08:05', '10-24T08:45'),
        visit('ada', '10-24T10:00', '10-24T10:45'),
        visit('ada', '10-25T21:30', '10-26T00:30'),
        visit(null, '10-31T22:50', '10-31T23:10'),
      ],
    },
    art: {
      room: { name: 'Art' },
      members: [member('grace', { type: 'monitor' }), member('ada')],
      sessions: [visit('grace', '10-24T08:30', '10-24T09:00'), visit('ada', '10-24T08:30', '10-24T08:50')],
    },
  })
}
