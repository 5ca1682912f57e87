import type { Client } from '../../api/client.ts'
import { endpoints } from '../../api/endpoints.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { ServiceError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { Item } from '../output/views.ts'
import type { ListName } from './list-name.ts'
import { pagesOf } from './pages-of.ts'
import { totalOf } from './paginate.ts'

/**
 * Every item of a list, for what must not be decided on a part of it.
 * @throws {ServiceError} when the service says that there are more than it gives
 */
export async function* readAll<N extends ListName>(
  context: Context,
  client: Client,
  list: N,
  input: Input<Operations[N]>,
): AsyncGenerator<Item> {
  let count = 0
  let total: number | undefined
  for await (const { items, rest = {} } of pagesOf(context, client, list, input, { all: true })) {
    yield* items
    count += items.length
    total = totalOf(rest)
  }
  if (total !== undefined && total > count)
    // Whoever comes while pages are read is counted in the last of them alone.
    throw new ServiceError(`the service lists ${count} of ${total} ${endpoints[list].result}`, {
      retryable: true,
    })
}
