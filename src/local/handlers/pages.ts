import { invalid } from '../faults.ts'
import { requireRoom } from '../records.ts'
import { requireEncodedUrl } from '../values.ts'
import type { Handlers } from './handler.ts'

export const pageHandlers = {
  createPages({ store, now, newId }, { params, body }) {
    requireRoom(store, params.room_id)
    const last = store.one<{ position: number | null }>(
      'SELECT max(position) AS position FROM pages WHERE room_id = ?',
      params.room_id,
    )
    let next = (last?.position ?? -1) + 1
    const pages = body.map(({ entities = [], size, index }, i) => {
      for (const [j, { type, src }] of entities.entries()) {
        const field = `[${i}].entities[${j}].src`
        if (src !== undefined) requireEncodedUrl(field, src)
        else if (type === 'Image') throw invalid(`${field}: an image needs one`)
      }
      const position = index ?? next
      next = Math.max(next, position + 1)
      const id = newId()
      store.run(
        'INSERT INTO pages (id, room_id, position, width, height, entities, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        id,
        params.room_id,
        position,
        size?.width ?? null,
        size?.height ?? null,
        JSON.stringify(entities),
        now(),
      )
      return { id, entities, size: size ?? null, index: position }
    })
    return { pages }
  },
} satisfies Partial<Handlers>
