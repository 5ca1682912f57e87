import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addDelivery } from '../helpers/deliveries.ts'
import { readTopicFile } from '../helpers/documentation.ts'
import { testNow } from '../helpers/host.ts'
import { openTestWorkspace } from '../helpers/wire.ts'
import { answer, createWorld } from '../helpers/world.ts'

const blocks = [...readTopicFile('webhooks').matchAll(/<!-- run webhooks -->\n```console\n([\s\S]*?)```/g)]

/** IDs of the deliveries in the topic, oldest first. */
const first = 'msg_01a2076699d5ac19feae4697'
const second = 'msg_01a20766a332edff30c24dab'
const third = 'msg_01a20766b1d2edff30c24dac'

const maskVariableText = (text: string) =>
  text.replace(/[\da-f]{24}/g, 'ID').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word)

test.each(blocks.map(([, block = '']) => block))(
  'the commands of the webhooks topic print the documented output:\n%s',
  async (block) => {
    const world = await createWorld()
    world.intercept = async () => answer(200, '')
    mkdirSync(join(world.dir, 'data'))
    const local = await openTestWorkspace(join(world.dir, 'data'))
    const { room } = (await local.send('POST', '/rooms', { name: 'Weekly sync', type: 'open' })).body
    await addDelivery(local.store, { id: first, room_id: room.id, ago: 9000 })
    await addDelivery(local.store, {
      ...{ id: second, room_id: room.id, state: 'waiting', attempts: 2 },
      ...{ last_status: 503, next_at: testNow + 1000, ago: 6000 },
    })
    await addDelivery(local.store, {
      ...{ id: third, room_id: room.id, action: 'sessionLeft', state: 'given_up', attempts: 11 },
      ...{ last_status: null, last_error: 'connection refused', ago: 3000 },
    })
    local.close()
    const lines = [...block.matchAll(/^\$ meetroom (.*)$/gm)].map(([, line = '']) => line)
    let shown = ''
    for (const line of lines) {
      const { stdout, stderr } = await world.run(wordsOf(line))
      shown += `$ meetroom ${line}\n${stdout}${stderr}`
    }
    expect(maskVariableText(shown)).toBe(maskVariableText(block))
  },
)

test('the webhooks topic contains three examples with commands', () => expect(blocks).toHaveLength(3))
