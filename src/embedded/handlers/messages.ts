import { forbidden } from '../common/faults.ts'
import { requireRoom } from '../records/records.ts'
import type { Handlers } from './handler-context.ts'

export const messageHandlers = {
  sendMessage({ store, live }, { params, body }) {
    if (requireRoom(store, params.room_id).terminated_at !== null) throw forbidden('the room is terminated')
    live.send(params.room_id, { event: 'message', message: body.message })
    return { message: body.message }
  },
} satisfies Partial<Handlers>
