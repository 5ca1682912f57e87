import type { WireRequest } from '../../../src/api/wire.ts'
import { addDelivery } from '../../helpers/deliveries.ts'
import { otherService } from '../../helpers/other-service.ts'
import { answer, type Run, type World, worldsWith } from '../../helpers/world.ts'
import { type FakeService, isWrite, jsonOf, pathOf, type Thing } from './fake.ts'

/** State of the embedded service behind a fake service. */
export interface State {
  rooms: readonly Thing[]
  users: readonly Thing[]
  members: readonly Thing[]
  deliveries: readonly Thing[]
}

/** Write that a command sent, and the writes that the embedded service executed for it. */
export interface Sent {
  readonly request: WireRequest
  readonly executed: { readonly path: string; readonly asked: any; readonly body: any }[]
  /** True if the embedded service refused an execution. */
  isRefused: boolean
}

/** Fake service with the embedded service behind it. */
export interface School {
  world: World
  /** Returns the ID of a room in the embedded service. */
  realRoom(name: string): string
  /** Returns the ID of a room in the fake service. */
  room(name: string): string
  /** Returns the ID of a member in the fake service. */
  member(room: string, user: string): string
  /** ID of the given-up delivery in the fake service. */
  delivery: string
  /** Returns the state after the fake service has completed all pending work. */
  state(): Promise<State>
  /** Writes to the fake service, in order. */
  sent: readonly Sent[]
  sessions: readonly Thing[]
  run(argv: readonly string[], stdin?: string): Promise<Run>
  /**
   * Runs a command with the embedded service instead of the fake service.
   * @throws {Error} if the command fails
   */
  prepare(argv: readonly string[]): Promise<void>
  /** Replaces hexadecimal IDs in a text with names. */
  readable(path: string): string
}

const env = { MEETROOM_JOIN_URL: 'https://app.test/{room_id}#{access_token}' }
const two = (number: number) => String(number).padStart(2, '0')
export const roomNames = Array.from({ length: 14 }, (_, i) => `Room ${two(i)}`)
export const userIds = Array.from({ length: 12 }, (_, i) => `u${two(i)}`)
/** Room with all users, second private room, open room and terminated room. */
export const [full = '', second = '', open = '', ended = ''] = roomNames
/** User who is blocked in the full room. */
export const blocked = 'u11'
/** ID of the only given-up delivery. */
export const givenUp = 'msg_givenup'

const createFilled = worldsWith(async (world) => {
  const send = async (method: string, path: string, body?: unknown) =>
    (await world.send(method, path, body)).body
  const rooms = new Map<string, string>()
  const members = new Map<string, string>()
  for (const id of userIds)
    await send('POST', '/users', { user_id: id, name: `User ${id}`, email: `${id}@x.test` })
  for (const name of roomNames) {
    const type = name === full || name === second ? 'private' : 'open'
    rooms.set(name, (await send('POST', '/rooms', { name, type })).room.id)
  }
  const invite = async (room: string, user_id: string) => {
    const { member } = await send('POST', `/rooms/${rooms.get(room)}/members`, { user_id, type: 'guest' })
    members.set(`${room}/${user_id}`, member.id)
  }
  for (const user of userIds) await invite(full, user)
  for (const user of userIds.slice(0, 2)) await invite(second, user)
  await invite(open, 'u00')
  await send('PUT', `/rooms/${rooms.get(full)}/members/${members.get(`${full}/${blocked}`)}`, {
    is_blocked: true,
  })
  await send('PUT', `/rooms/${rooms.get(ended)}`, { is_terminated: true })

  for (const i of userIds.keys()) await addDelivery(world.store, { id: `msg_${two(i)}`, attempts: i + 1 })
  await addDelivery(world.store, { id: givenUp, state: 'given_up', attempts: 99 })
  return { rooms, members }
})

export async function openSchool(fake: FakeService): Promise<School> {
  const { world, made } = await createFilled()
  const { rooms, members } = made
  const send = async (method: string, path: string) => (await world.send(method, path)).body

  const sessions = userIds.map((user_id, i) => ({
    id: `s${i}`,
    user_id,
    member_id: members.get(`${full}/${user_id}`),
    connected_at: `2026-01-01T10:${two(i)}:00.000Z`,
    disconnected_at: `2026-01-01T11:${two(i)}:00.000Z`,
  }))
  const inUse = `/rooms/${rooms.get(full)}/sessions`
  const idOf = fake.ids ? otherService(world, { ids: fake.ids }).idOf : (id: string) => id
  const other = world.intercept
  const sent: Sent[] = []
  const pending: (() => Promise<void>)[] = []
  let isPlain = false
  let clock = () => 0
  const exchange = fake.make({ now: () => clock(), atEnd: (work) => void pending.push(work) })
  world.intercept = async (request, next, signal) => {
    const record: Sent = { request, executed: [], isRefused: false }
    const real = async (asked: WireRequest) => {
      if (asked.method === 'GET' && pathOf(asked) === inUse) return sessionsFor(asked.url, sessions)
      const response = await next(asked)
      if (isWrite(asked) && response.status >= 300) record.isRefused = true
      else if (isWrite(asked))
        record.executed.push({
          path: pathOf(asked),
          asked: asked.body === undefined ? undefined : jsonOf(asked),
          body: jsonOf(response),
        })
      return response
    }
    const embedded = (changed = request) =>
      other ? other(changed, (asked = changed) => real(asked), signal) : real(changed)
    if (isPlain) return embedded()
    if (isWrite(request)) sent.push(record)
    return exchange(request, embedded)
  }
  const run = (argv: readonly string[], stdin?: string) => {
    const began = clock()
    const { host, done } = world.start([...argv], { env, ...(stdin !== undefined && { stdin }) })
    // A user needs a minute to read a result and to type the next command.
    clock = () => began + 60_000 + host.monotonic()
    return done
  }
  const labels = new Map([
    ...[...rooms].map(([name, id]) => [id, `{${name}}`] as const),
    ...[...members].map(([place, id]) => [id, `{${place}}`] as const),
  ])
  return {
    world,
    realRoom: (name) => rooms.get(name) ?? name,
    room: (name) => idOf(rooms.get(name) ?? name),
    delivery: idOf(givenUp),
    member: (room, user) => idOf(members.get(`${room}/${user}`) ?? user),
    async state() {
      for (const work of pending.splice(0)) await work()
      const { rooms: all } = await send('GET', '/rooms?limit=1000')
      const inRooms = []
      // Only these rooms and new rooms have members.
      for (const { id, name } of all)
        if ([full, second, open].includes(name) || !roomNames.includes(name))
          inRooms.push(...(await send('GET', `/rooms/${id}/members?limit=1000`)).members)
      const { users } = await send('GET', '/users?limit=1000')
      const { deliveries } = await send('GET', '/webhooks/deliveries?limit=1000')
      return { rooms: all, users, members: inRooms, deliveries }
    },
    sent,
    sessions,
    run,
    async prepare(argv) {
      isPlain = true
      const { code, stderr } = await run(argv)
      isPlain = false
      if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}\n${stderr}`)
    },
    readable: (path) =>
      path.replace(/[0-9a-f]{24}/g, (id) => {
        if (!labels.has(id)) labels.set(id, `{new ${labels.size - rooms.size - members.size + 1}}`)
        return labels.get(id) ?? id
      }),
  }
}

function sessionsFor(url: string, all: readonly Thing[]) {
  const { searchParams } = new URL(url)
  const user = searchParams.get('user_id')
  const online = searchParams.get('is_connecting')
  const chosen = all.filter((item) => (user === null || item['user_id'] === user) && online !== 'true')
  if (!searchParams.has('limit') && !searchParams.has('offset')) return answer(200, { sessions: chosen })
  const limit = Number(searchParams.get('limit') ?? 30)
  const offset = Number(searchParams.get('offset') ?? 0)
  return answer(200, {
    sessions: chosen.slice(offset, offset + limit),
    paging: { limit, offset, total: chosen.length },
  })
}
