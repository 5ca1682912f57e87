import { expect, test } from 'vitest'
import type { WireRequest } from '../../../src/api/wire.ts'
import { isDestructive } from '../../../src/cli/kernel/effect.ts'
import type { MeetroomCommand } from '../../../src/cli/kernel/meetroom-command.ts'
import { allCalls } from '../../helpers/calls.ts'
import { createImportWorld } from '../../helpers/imports.ts'
import { turns } from '../../helpers/still-time.ts'
import { leaves } from '../../helpers/tree.ts'
import { worldsWith } from '../../helpers/world.ts'

const items = 60
const numbers = Array.from({ length: items }, (_, i) => i)

const isDestructiveRequest = ({ method, body = '' }: WireRequest) =>
  method === 'DELETE' || /"is_(terminated|blocked)":true/.test(body)

const paced = (await leaves())
  .filter(({ command }) => command.options.some(({ long }) => long === '--concurrency'))
  .map(({ words, command }) => ({
    name: words.join(' '),
    isDestructive: isDestructive((command as MeetroomCommand).effect ?? 'machine'),
    hasMax: command.options.some(({ long }) => long === '--max'),
  }))

const calls = [
  ...(await allCalls()),
  'rooms update --where type=private --terminated',
  'users import users.csv --if-exists overwrite',
  'members import members.csv --room ROOM --if-exists overwrite',
].flatMap((call) => {
  const command = paced.find(({ name }) => call.startsWith(`${name} `))
  return command ? [`${call} --yes${command.hasMax ? ' --max 1000' : ''}`] : []
})

const createFilled = worldsWith(async (world) => {
  const send = async (path: string, body: object) => (await world.send('POST', path, body)).body
  await send('/users', { user_id: 'ada' })
  await send('/users', { user_id: 'grace' })
  const { room } = await send('/rooms', { name: 'R', type: 'private' })
  for (const n of numbers) {
    await send('/users', { user_id: `u${n}` })
    await send(`/rooms/${room.id}/members`, { user_id: `u${n}`, type: 'guest' })
    const other = await send('/rooms', { name: `R${n}`, type: 'private' })
    await send(`/rooms/${other.room.id}/members`, { user_id: 'ada', type: 'host' })
  }
  return String(room.id)
}, createImportWorld)

async function createCrowd() {
  const { world, made: room } = await createFilled()
  const lines = (header: string, line: (n: number) => string) =>
    `${[header, ...numbers.map(line)].join('\n')}\n`
  world.file(
    'rooms.csv',
    lines('name,type,is_terminated', (n) => `new${n},open,true`),
  )
  world.file(
    'members.csv',
    lines('user_id,is_blocked', (n) => `u${n},true`),
  )
  world.file(
    'users.csv',
    lines('user_id,memberships', (n) => `u${n},"[{""room_id"":""${room}"",""is_blocked"":true}]"`),
  )
  return { world, room }
}

async function countDestructive(world: Awaited<ReturnType<typeof createImportWorld>>, argv: string[]) {
  let inFlight = 0
  let most = 0
  let sent = 0
  let elapsed = 0
  world.intercept = async (request, next) => {
    const isCounted = isDestructiveRequest(request)
    if (isCounted) {
      sent++
      most = Math.max(most, ++inFlight)
    }
    await turns(2)
    // The throughput rises with the number of requests in flight.
    elapsed += 50 / Math.max(1, inFlight)
    const response = await next()
    if (isCounted) inFlight--
    return response
  }
  const { host, done } = world.start(argv)
  host.monotonic = () => elapsed
  await done
  return { most, sent }
}

/** Commands that sent at least `items` destructive requests. */
const destructive = new Set<string>()

test.each(calls)('the command “%s” sends at most 8 concurrent destructive requests', async (call) => {
  const { world, room } = await createCrowd()
  const argv = call.split(' ').map((word) => (word === 'ROOM' ? room : word))
  const { most, sent } = await countDestructive(world, argv)
  expect(most).toBeLessThanOrEqual(8)
  if (sent >= items) destructive.add(call.split(' ', 2).join(' '))
})

test('workspace apply sends at most 8 concurrent terminations', async () => {
  const world = await createImportWorld()
  const rooms = numbers.map((n) => ({ key: `r${n}`, name: `R${n}`, type: 'open', is_terminated: true }))
  world.file('rooms.json', JSON.stringify({ rooms }))
  const argv = ['workspace', 'apply', 'rooms.json', '--yes', '--max', '1000']
  expect(await countDestructive(world, argv)).toEqual({ most: 8, sent: items })
})

test('the concurrency tests cover the imports, rooms update and every destructive batch command', () => {
  const names = paced.flatMap(({ name, isDestructive }) => (isDestructive ? [name] : []))
  const others = ['members import', 'rooms import', 'rooms update', 'users import']
  expect([...destructive].sort()).toEqual([...names, ...others].sort())
})
