import { findClosest } from '../../api/closest.ts'
import { toText } from '../../api/to-text.ts'
import { foldText } from '../filter/search.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { listPages } from './list.ts'

const maxUsers = 10_000

/**
 * Finds the user who is probably meant by a text that is no user ID: by ID, email or name, ignoring case and accents,
 * or else by a similar ID. Returns undefined if no user or several users match.
 */
export async function findLikelyUser(context: Context, text: string): Promise<Item | undefined> {
  const users: Item[] = []
  const pages = await listPages(context, 'listUsers', { query: {} }, { limit: maxUsers })
  for await (const { items } of pages) users.push(...items)
  const wanted = foldText(text)
  for (const field of ['user_id', 'email', 'name']) {
    const found = users.filter((user) => foldText(toText(user[field])) === wanted)
    if (found.length > 0) return found.length === 1 ? found[0] : undefined
  }
  const closest = findClosest(
    text,
    users.map(({ user_id }) => toText(user_id)),
  )
  return users.find(({ user_id }) => user_id === closest)
}
