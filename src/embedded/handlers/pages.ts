import { writeJson } from '../../api/json.ts'
import { invalid } from '../common/faults.ts'
import { requireWebUrl } from '../common/values.ts'
import { requireRoom, toPage } from '../records/records.ts'
import { addUnlisted, packUnlisted, pickUnlisted } from '../records/unlisted.ts'
import { listPageIfAsked } from '../store/listing.ts'
import type { PageRow } from '../store/rows.ts'
import type { Handlers } from './handler-context.ts'

/** Limits the position, because a client may choose the greatest possible index. */
const getNextPosition = (position: number) => Math.min(position + 1, Number.MAX_SAFE_INTEGER)

export const pageHandlers = {
  listPages({ store }, { params, query }) {
    requireRoom(store, params.room_id)
    const filters = [['room_id = ?', params.room_id]] as const
    const listing = { table: 'pages', filters, order: 'position, seq' }
    const { rows, ...page } = listPageIfAsked<PageRow>(store, listing, query)
    return { pages: rows.map(toPage), ...page }
  },

  createPages({ store, now, newId, sessionControl }, { params, body }) {
    requireRoom(store, params.room_id)
    const sql = 'SELECT max(position) AS position FROM pages WHERE room_id = ?'
    const last = store.one<{ position: number | null }>(sql, params.room_id)
    let nextPosition = getNextPosition(last?.position ?? -1)
    const pages = body.map((page, i) => {
      const { entities = [], size, index } = page
      for (const [j, { type, src }] of entities.entries()) {
        const field = `[${i}].entities[${j}].src`
        if (src !== undefined) requireWebUrl(field, src)
        else if (type === 'Image') throw invalid(`${field} of an image is missing`)
      }
      const position = index ?? nextPosition
      nextPosition = Math.max(nextPosition, getNextPosition(position))
      const id = newId()
      const unlisted = packUnlisted(pickUnlisted('page', page))
      store.insert('pages', {
        ...{ id, room_id: params.room_id, position, unlisted, created_at: now() },
        width: size?.width ?? null,
        height: size?.height ?? null,
        entities: writeJson(entities),
      })
      return addUnlisted({ id, entities, size: size ?? null, index: position }, unlisted)
    })
    sessionControl.refresh(params.room_id, 'pages')
    return { pages }
  },
} satisfies Partial<Handlers>
