import { endpoints } from '../../api/endpoints.ts'
import { readResponseValue } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Client, LookupName } from '../../client/client.ts'
import type { Item } from '../output/views/views.ts'

/** Reads an item; undefined if it does not exist. */
export async function findItem<N extends LookupName>(
  client: Client,
  name: N,
  input: Input<Operations[N]>,
): Promise<Item | undefined> {
  const answer = await client.find(name, input)
  return answer && ((readResponseValue(answer) as Item)[endpoints[name].result] as Item)
}
