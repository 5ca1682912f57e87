import { expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

async function room(name: string, fields: object = {}): Promise<string> {
  return (await world.send('POST', '/rooms', { name, type: 'open', ...fields })).body.room.id
}

test('rooms list filters and sorts rooms by remaining_seconds, even after a room is reopened', async () => {
  const long = await room('Long', { max_meeting_seconds: 600 })
  await room('Unlimited')
  const over = await room('Over', { max_meeting_seconds: 60 })
  await world.send('PUT', `/rooms/${over}`, { is_terminated: true })
  const list = (...flags: string[]) =>
    world.run(['rooms', 'list', '--columns', 'name,remaining_seconds', '-o', 'csv', ...flags])
  expect(
    await list('--quiet', '--sort', 'remaining_seconds', '--where', 'remaining_seconds<=600'),
  ).toMatchObject({
    code: 0,
    stderr: '',
    stdout: 'name,remaining_seconds\r\nOver,0\r\nLong,600\r\n',
  })
  await world.run(`rooms reopen ${over}`)
  expect((await list('--where', 'remaining_seconds=60')).stdout).toBe('name,remaining_seconds\r\nOver,60\r\n')
  expect((await list('--where', 'remaining_seconds=')).stdout).toBe(
    'name,remaining_seconds\r\nUnlimited,\r\n',
  )
  expect((await world.run(`rooms get ${long} --query room.remaining_seconds`)).stdout).toBe('600\n')
})

test('rooms list --where remaining_seconds<60 exits 2 and names the field if the service omits the field', async () => {
  const one = { id: 'r1', name: 'R', max_meeting_seconds: 60, meeting_time: 20 }
  world.intercept = async ({ url }) => answer(200, url.includes('/rooms/') ? { room: one } : { rooms: [one] })
  expect(await world.run('rooms list --where remaining_seconds<60 -o ids')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^error: --where: no checked room has a field “remaining_seconds”\n/),
  })
})

test('the embedded service ignores remaining_seconds in the body of a request to create or update a room', async () => {
  const id = await room('R', { max_meeting_seconds: 60 })
  const { room: read } = (await world.send('GET', `/rooms/${id}`)).body
  const changed = { ...read, remaining_seconds: 7, name: 'Other' }
  expect((await world.send('PUT', `/rooms/${id}`, changed)).body.room).toMatchObject({
    name: 'Other',
    remaining_seconds: 60,
  })
  expect((await world.send('POST', '/rooms', changed)).body.room).toMatchObject({ remaining_seconds: 60 })
})
