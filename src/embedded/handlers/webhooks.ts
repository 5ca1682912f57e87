import { formatChoices } from '../../api/either.ts'
import { parseTimestamp } from '../../api/readings.ts'
import { deliveryStates } from '../../api/vocabulary.ts'
import { invalid } from '../common/faults.ts'
import { toDelivery } from '../records/records.ts'
import { listPage } from '../store/listing.ts'
import type { DeliveryRow } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import { keepFinishedMs } from '../webhooks/retention.ts'
import { requestRedelivery } from '../webhooks/states.ts'
import type { Handlers } from './handler-context.ts'

export const webhookHandlers = {
  listDeliveries({ store, now }, { query }) {
    const { room_id, state, since } = query
    const filters: [string, Value][] = [['(finished_at IS NULL OR finished_at > ?)', now() - keepFinishedMs]]
    if (room_id !== undefined) filters.push(['room_id = ?', room_id])
    if (state !== undefined) {
      if (!deliveryStates.includes(state))
        throw invalid(`state must be ${formatChoices(deliveryStates)}, not “${state}”`)
      filters.push(['state = ?', state])
    }
    if (since !== undefined) {
      const time = parseTimestamp(since)
      if (typeof time !== 'number') throw invalid(`since must be an ISO 8601 time, not “${since}”`)
      filters.push(['created_at >= ?', time])
    }
    const { rows, paging } = listPage<DeliveryRow>(store, { table: 'deliveries', filters }, query)
    return { deliveries: rows.map(toDelivery), paging }
  },

  redeliver({ store, now, onRedelivery }, { params }) {
    const delivery = requestRedelivery(store, params.delivery_id, now())
    store.afterCommit(() => onRedelivery(delivery.room_id))
    return { delivery: toDelivery(delivery) }
  },
} satisfies Partial<Handlers>
