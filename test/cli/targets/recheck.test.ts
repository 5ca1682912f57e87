import { expect, test } from 'vitest'
import { createAccessWorld } from '../../helpers/access.ts'
import { perTest } from '../../helpers/per-test.ts'
import { Watched } from '../../helpers/waiting.ts'

const world = perTest(createAccessWorld)

async function answerAfter(line: string[], change: () => Promise<unknown>, reply: string) {
  const { host, done } = world.start(line, { tty: true, columns: 400 })
  const watched = new Watched(() => host.stderr.text)
  const write = host.stderr.write.bind(host.stderr)
  host.stderr.write = (...args) => {
    const written = write(...args)
    watched.changed()
    return written
  }
  await watched.until('the question', () => /(continue:|\(y\/N\))/.test(host.stderr.text))
  world.requests.length = 0
  await change()
  host.type(`${reply}\n`)
  const { code, stderr } = await done
  return { code, stderr }
}

const rename = (room: string) => () => world.send('PUT', `/rooms/${room}`, { name: 'Kept' })
const writes = () => world.writes().length

test.each([
  ['rooms delete --where name~^P|^B', 'deleted 1 room; 1 skipped'],
  ['rooms terminate --where name~^P|^B', 'terminated 1 room; 1 skipped'],
  ['rooms update --where name~^P|^B --layout grid', 'updated 1 room; 1 skipped'],
  ['message send --where name~^P|^B --text hi', 'sent the message to 1 room; 1 skipped'],
])('“%s” skips a room that no longer matches after the confirmation', async (line, summary) => {
  const { plans } = world.ids
  const { code, stderr } = await answerAfter(line.split(' '), rename(plans), '2')
  expect({ code, writes: writes() }).toEqual({ code: 0, writes: 1 })
  expect(stderr).toContain(summary)
  expect(world.writes().join()).not.toContain(plans)
})

test('users delete --where sends no write if the only matching user no longer matches after the prompt', async () => {
  const change = () => world.send('PUT', '/users/trudy', { name: 'Kept' })
  const { code, stderr } = await answerAfter('users delete --where name=TRUDY'.split(' '), change, 'y')
  expect({ code, writes: writes() }).toEqual({ code: 0, writes: 0 })
  expect(stderr).toContain('skipped user trudy: it no longer matches the conditions')
})

test('users offboard --where keeps a user who no longer matches after the prompt', async () => {
  const change = () => world.send('PUT', '/users/trudy', { name: 'Kept' })
  const line = 'users offboard --where name~^(TRUDY|MALLORY)$'.split(' ')
  const { code, stderr } = await answerAfter(line, change, '2')
  expect(code).toBe(0)
  expect(stderr).toContain('skipped user trudy: it no longer matches the conditions\n')
  expect(await Promise.all(['trudy', 'mallory'].map((id) => world.userExists(id)))).toEqual([true, false])
})

test('members block and rooms delete with --where skip items that no longer match after the prompt', async () => {
  const { board, plans } = world.ids
  const { id } = await world.member(board, 'trudy')
  const promote = () => world.send('PUT', `/rooms/${board}/members/${id}`, { type: 'host' })
  const blocked = await answerAfter(`members block ${board} --where type=guest`.split(' '), promote, '3')
  expect({ code: blocked.code, writes: writes() }).toEqual({ code: 0, writes: 2 })
  const join = () => world.send('POST', `/rooms/${plans}/members`, { user_id: 'ada' })
  const deleted = await answerAfter('rooms delete --where members=1 --where name=Plans'.split(' '), join, 'y')
  expect({ code: deleted.code, writes: writes() }).toEqual({ code: 0, writes: 0 })
})

test('rooms delete --where skips a room that somebody else deletes during the prompt', async () => {
  const { plans } = world.ids
  const change = () => world.send('DELETE', `/rooms/${plans}`)
  const { code, stderr } = await answerAfter('rooms delete --where name~^P|^B'.split(' '), change, '2')
  expect({ code, writes: writes() }).toEqual({ code: 0, writes: 1 })
  expect(stderr).toContain(`skipped room ${plans}: it no longer exists`)
})

test('rooms terminate --where --yes does not read a matching room again', async () => {
  const { plans } = world.ids
  await world.run('rooms terminate --where name=Plans --yes')
  expect(
    world.requests.filter(({ url }) => url.endsWith(`/rooms/${plans}`)).map(({ method }) => method),
  ).toEqual(['PUT'])
})
