import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { OperationName } from '../../../src/api/endpoints.ts'
import type { Operation } from '../../../src/api/operation-types.ts'
import { operations } from '../../../src/api/operations.ts'
import { addDelivery } from '../../helpers/deliveries.ts'
import { everything } from '../../helpers/everything.ts'
import { createWorld } from '../../helpers/world.ts'

test.each(Object.entries(everything))(
  'the CLI can set every field of the operation %s',
  async (name, line) => {
    const world = await createWorld()
    await world.send('POST', '/users', { user_id: 'ada' })
    await world.send('POST', '/users', { user_id: 'grace' })
    const room = (await world.send('POST', '/rooms', { name: 'n', type: 'open' })).body.room.id
    const member = (await world.send('POST', `/rooms/${room}/members`, { user_id: 'ada' })).body.member.id
    const delivery = await addDelivery(world.store, { id: 'msg_1' })
    const ids: Record<string, string> = { '{room}': room, '{member}': member, '{delivery}': delivery }
    const argv = line.map((word) => ids[word] ?? word)

    const { code, stderr } = await world.run([...argv, '--quiet'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })

    const operation: Operation = operations[name as OperationName]
    const request = world.requests.find(({ method }) => method === operation.method)
    const url = new URL(request?.url ?? '')
    expect([...url.searchParams.keys()].sort()).toEqual(listFields(operation.query).sort())
    expect(Object.keys([JSON.parse(request?.body ?? '{}')].flat()[0]).sort()).toEqual(
      listFields(operation.body).sort(),
    )
  },
)

function listFields(schema: z.ZodType | undefined): string[] {
  if (!schema) return []
  const item = 'element' in schema ? (schema.element as z.ZodObject) : (schema as z.ZodObject)
  return Object.keys(item.shape)
}
