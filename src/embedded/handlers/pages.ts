import { writeJson } from '../../api/json.ts'
import { invalid } from '../common/faults.ts'
import { requireWebUrl } from '../common/values.ts'
import { requireRoom, toPage } from '../records/records.ts'
import { addUnlisted, packUnlisted, pickUnlisted } from '../records/unlisted.ts'
import { listAll, listPage } from '../store/listing.ts'
import type { PageRow } from '../store/rows.ts'
import type { Handlers } from './handler-context.ts'

/** Limits the position, because a client may choose the greatest possible index. */
const getNextPosition = (position: number) => Math.min(position + 1, Number.MAX_SAFE_INTEGER)

export const pageHandlers = {
  listPages({ store }, { params, query }) {
    requireRoom(store, params.room_id)
    const listing = {
      table: 'pages',
      filters: [['room_id = ?', params.room_id]],
      order: 'position, seq',
    } as const
    if (query.limit === undefined && query.offset === undefined)
      return { pages: listAll<PageRow>(store, listing).map(toPage) }
    const { rows, paging } = listPage<PageRow>(store, listing, query)
    return { pages: rows.map(toPage), paging }
  },

  createPages({ store, now, newId, sessionControl }, { params, body }) {
    requireRoom(store, params.room_id)
    const last = store.one<{ position: number | null }>(
      'SELECT max(position) AS position FROM pages WHERE room_id = ?',
      params.room_id,
    )
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
      store.run(
        'INSERT INTO pages (id, room_id, position, width, height, entities, unlisted, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        id,
        params.room_id,
        position,
        size?.width ?? null,
        size?.height ?? null,
        writeJson(entities),
        unlisted,
        now(),
      )
      return addUnlisted({ id, entities, size: size ?? null, index: position }, unlisted)
    })
    sessionControl.refresh(params.room_id, 'pages')
    return { pages }
  },
} satisfies Partial<Handlers>
