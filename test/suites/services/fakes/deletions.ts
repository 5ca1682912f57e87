import type { WireResponse } from '../../../../src/api/wire.ts'
import { answer, type Exchange, type FakeService, jsonOf, pathOf, type Thing } from '../fake.ts'
import type { Proof } from '../proof.ts'

/**
 * Creates a service that executes deletions, responds without a body, and shows deleted items with `show`.
 */
function tombstone(
  name: string,
  proof: Proof,
  show: (item: Thing, key: string) => WireResponse,
): FakeService {
  return {
    name: `deletes without a body, and then shows ${name}`,
    answers: { delete: 'acknowledges' },
    ...proof,
    make(): Exchange {
      const gone = new Map<string, readonly [key: string, item: Thing]>()
      return async (request, next) => {
        const path = pathOf(request)
        const dead = gone.get(path)
        if (dead && request.method === 'GET') return show(dead[1], dead[0])
        const response = await next()
        if (request.method !== 'DELETE' || response.status !== 200) return response
        const [key = '', item] = Object.entries(jsonOf(response))[0] ?? []
        gone.set(path, [key, item as Thing])
        return answer(204, '')
      }
    },
  }
}

// Lists do not show deleted items, and commands that delete many items read a list.
const still: Proof = { reads: { delete: 'listed' } }
const deletedAt = '2026-01-02T03:04:05.678Z'

/** Services that differ in reads of a deleted item. */
export const deletions: readonly FakeService[] = [
  tombstone('the item with deleted_at', still, (item, key) =>
    answer(200, { [key]: { ...item, deleted_at: deletedAt } }),
  ),
  tombstone('the item as archived', still, (item, key) =>
    answer(200, { [key]: { ...item, status: 'archived' } }),
  ),
  tombstone('the item as trashed', still, (item, key) =>
    answer(200, { [key]: { ...item, is_trashed: true } }),
  ),
  tombstone('the item as it was', still, (item, key) => answer(200, { [key]: item })),
  tombstone('only its ID', still, ({ id, user_id }, key) =>
    answer(200, { [key]: { id, user_id, deleted: true } }),
  ),
  tombstone('an item without values', still, (item, key) =>
    answer(200, { [key]: Object.fromEntries(Object.keys(item).map((field) => [field, null])) }),
  ),
  tombstone('null under its name', { reads: { delete: ['true', 'never'] } }, (_, key) =>
    answer(200, { [key]: null }),
  ),
  tombstone('an empty list', still, () => answer(200, '[]')),
  tombstone('an empty object', still, () => answer(200, {})),
  tombstone('no content', still, () => answer(204, '')),
  tombstone('403', still, () => answer(403, { error: 'forbidden' })),
  tombstone('401', still, () => answer(401, { error: 'who are you?' })),
  tombstone('423', still, () => answer(423, { error: 'locked' })),
  tombstone('451', still, () => answer(451, { error: 'unavailable' })),
  tombstone('a redirect', still, () => answer(301, '', { location: 'https://archive.test/' })),
  tombstone('410 and its ID', {}, ({ id }) => answer(410, { error: { code: 'gone', message: 'gone', id } })),
  tombstone('404 as a page', {}, () =>
    answer(404, '<html><h1>Not Found</h1></html>', { 'content-type': 'text/html' }),
  ),
  tombstone('404 without a body', {}, () => answer(404, '')),
]
