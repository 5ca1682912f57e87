import type { Input } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import type { Client } from '../../../client/client.ts'
import type { Context } from '../../kernel/context.ts'
import type { Item } from '../../output/views/views.ts'
import type { ListName } from './list-name.ts'
import { pagesOf } from './pages-of.ts'

/**
 * Yields every item of a list.
 * @throws {IncompleteError} after the last item, if the list is incomplete
 */
export async function* readAll<N extends ListName>(
  context: Context,
  client: Client,
  list: N,
  input: Input<Operations[N]>,
): AsyncGenerator<Item> {
  for await (const { items } of pagesOf(context, client, list, input, { all: true })) yield* items
}
