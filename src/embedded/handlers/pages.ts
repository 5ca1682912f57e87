import { writeJson } from '../../api/json.ts'
import { invalid } from '../common/faults.ts'
import { requireWebUrl } from '../common/values.ts'
import { requireRoom } from '../records/records.ts'
import { addUnlisted, packUnlisted, pickUnlisted } from '../records/unlisted.ts'
import type { Handlers } from './handler-context.ts'

export const pageHandlers = {
  createPages({ store, now, newId, sessionControl }, { params, body }) {
    requireRoom(store, params.room_id)
    const last = store.one<{ position: number | null }>(
      'SELECT max(position) AS position FROM pages WHERE room_id = ?',
      params.room_id,
    )
    let nextPosition = (last?.position ?? -1) + 1
    const pages = body.map((page, i) => {
      const { entities = [], size, index } = page
      for (const [j, { type, src }] of entities.entries()) {
        const field = `[${i}].entities[${j}].src`
        if (src !== undefined) requireWebUrl(field, src)
        else if (type === 'Image') throw invalid(`${field}: an image needs one`)
      }
      const position = index ?? nextPosition
      nextPosition = Math.max(nextPosition, position + 1)
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
