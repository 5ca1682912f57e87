import type { Context } from '../kernel/context.ts'
import { readList } from '../lists/read-list.ts'
import { findLikely } from '../matching/match.ts'
import type { NamedKind } from '../matching/reference.ts'
import type { Item } from '../output/views/views.ts'

const maxItems = 10_000

const kinds = {
  room: { list: 'listRooms', fields: ['id', 'name'] },
  user: { list: 'listUsers', fields: ['user_id', 'email', 'name'] },
} as const

/**
 * Finds the item that is probably meant by a text that names none.
 * @param field field that the text was taken for; by default, the ID
 */
export async function findLikelyItem(
  context: Context,
  kind: NamedKind,
  text: string,
  field?: string,
): Promise<Item | undefined> {
  const { list, fields } = kinds[kind]
  const items: Item[] = []
  for await (const page of readList(context, list, {}, { limit: maxItems })) items.push(...page.items)
  return findLikely(items, text, field === undefined ? fields : [field, ...fields])
}
