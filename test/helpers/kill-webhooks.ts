import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { apiOf, join, start } from './kill-loop.ts'
import { soon } from './waiting.ts'

interface KillWebhooks {
  script: string
  dir: string
  kills: number
  /** Returns a fraction in [0, 1). */
  random(): number
}

export interface SurvivedWebhooks {
  events: number
  /** Redeliveries that were acknowledged before a kill. */
  redeliveries: number
  /** Requests with the status 500. */
  failures: number
  /** Whatever is wrong, one line each. */
  wrong: string[]
}

interface Request {
  event: string
  body: string
  redelivery: number
  status: number
}

interface Delivery {
  id: string
  state: string
  attempts: number
  redeliveries: number
}

/** A receiver that fails some requests, and records all of them by their `webhook-id`. */
async function startFailingReceiver(random: () => number) {
  const requests = new Map<string, Request[]>()
  let changed = () => {}
  let failsNone = false
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { action, payload } = JSON.parse(body)
    const id = String(request.headers['webhook-id'])
    const redelivery = Number(request.headers['webhook-redelivery'] ?? 0)
    const status = !failsNone && random() < 0.2 ? 500 : 200
    const received = { event: `${action} ${payload.sessionId}`, body, redelivery, status }
    requests.set(id, [...(requests.get(id) ?? []), received])
    response.writeHead(status).end()
    changed()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    failNone() {
      failsNone = true
    },
    async until(what: string, holds: () => boolean, state: () => unknown) {
      const held = new Promise<void>((done) => {
        changed = () => {
          if (holds()) done()
        }
        changed()
      })
      await soon(what, held, state, 120_000)
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Kills a serving process again and again while sessions begin and end, and while their events are delivered and
 * redelivered to a receiver that fails some requests.
 */
export async function killWebhooks({ script, dir, kills, random }: KillWebhooks): Promise<SurvivedWebhooks> {
  const receiver = await startFailingReceiver(random)
  const { requests } = receiver
  const wrong: string[] = []
  let child: ChildProcess | undefined
  /** Number of acknowledged redeliveries by delivery. */
  const acknowledged = new Map<string, number>()
  let room = ''
  /** A room without further events, whose redeliveries only the start of the service resumes. */
  let quietRoom = ''
  try {
    for (let i = 0; i < kills; i++) {
      const running = await start(script, dir)
      child = running.child
      const api = apiOf(running, dir)
      const webhook = { url: receiver.url, secret: 'secret' }
      const createRoom = async () =>
        (await api('POST', '/rooms', { name: 'Meeting', type: 'open', webhook })).room.id
      room ||= await createRoom()
      if (quietRoom === '') {
        quietRoom = await createRoom()
        for (let visits = 0; visits < 5; visits++) (await join(running.baseUrl, quietRoom)).close()
      }
      let killed = false
      let left = 3 + Math.floor(random() * 10)
      const countDown = () => {
        if (--left > 0 || killed) return
        killed = true
        running.child.kill('SIGKILL')
      }
      const visitor = async () => {
        while (!killed) {
          const socket = await join(running.baseUrl, room)
          countDown()
          if (random() < 0.7) socket.close()
        }
      }
      const redeliverer = async () => {
        while (!killed) {
          const query = `state=delivered&limit=50&room_id=${random() < 0.5 ? room : quietRoom}`
          const { deliveries } = await api('GET', `/webhooks/deliveries?${query}`)
          const { id } = deliveries[Math.floor(random() * deliveries.length)] ?? {}
          if (id === undefined) continue
          const { delivery } = await api('POST', `/webhooks/deliveries/${id}/redeliver`, {}).catch(
            (error) => {
              // Another redeliverer was faster.
              if (/validation_exception/.test(String(error))) return {}
              throw error
            },
          )
          if (!delivery) continue
          acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, delivery.redeliveries))
          countDown()
        }
      }
      await Promise.allSettled([visitor(), redeliverer(), redeliverer()])
      if (!killed) throw new Error('nothing could be done')
      await soon('the end of the service', running.ended())
    }
    const running = await start(script, dir)
    child = running.child
    const api = apiOf(running, dir)
    receiver.failNone()
    const sessions = [
      ...(await api('GET', `/rooms/${room}/sessions`)).sessions,
      ...(await api('GET', `/rooms/${quietRoom}/sessions`)).sessions,
    ]
    const wanted = sessions.flatMap(({ id }: { id: string }) => [`sessionJoined ${id}`, `sessionLeft ${id}`])
    const lost = () => {
      const received = new Set([...requests.values()].flat().map(({ event }) => event))
      return wanted.filter((event: string) => !received.has(event))
    }
    const lostRedeliveries = () =>
      [...acknowledged].filter(
        ([id, count]) => !requests.get(id)?.some(({ redelivery }) => redelivery === count),
      )
    await receiver.until(
      'every event and every redelivery',
      () => lost().length === 0 && lostRedeliveries().length === 0,
      () => ({ lost: lost(), redeliveries: lostRedeliveries() }),
    )
    const list = await listAll(api, () => [...requests.values()].every((all) => all.some(isAccepted)))
    wrong.push(...check(list, requests, acknowledged, wanted))
    running.child.kill('SIGTERM')
    await running.ended()
    const redeliveries = [...acknowledged.values()].reduce((sum, count) => sum + count, 0)
    const failures = [...requests.values()].flat().filter((request) => !isAccepted(request)).length
    return { events: wanted.length, redeliveries, failures, wrong }
  } finally {
    child?.kill('SIGKILL')
    receiver.stop()
  }
}

const isAccepted = ({ status }: Request) => status === 200

/** Lists all deliveries once none waits. */
async function listAll(api: ReturnType<typeof apiOf>, isReady: () => boolean): Promise<Delivery[]> {
  for (;;) {
    const { deliveries, paging } = await api('GET', '/webhooks/deliveries?limit=1000')
    const waits = deliveries.some(({ state }: Delivery) => state === 'waiting')
    if (paging.total > deliveries.length) throw new Error('too many deliveries for one page')
    if (!waits && isReady()) return deliveries
  }
}

function check(
  list: readonly Delivery[],
  requests: ReadonlyMap<string, readonly Request[]>,
  acknowledged: ReadonlyMap<string, number>,
  wanted: readonly string[],
): string[] {
  const wrong: string[] = []
  if (list.length !== wanted.length) wrong.push(`${list.length} deliveries of ${wanted.length} events`)
  const ids = new Map<string, string>()
  for (const [id, all] of requests) {
    if (new Set(all.map(({ body }) => body)).size > 1) wrong.push(`${id}: more than one body`)
    const event = all[0]?.event ?? ''
    if (ids.has(event)) wrong.push(`${event}: under ${ids.get(event)} and ${id}`)
    ids.set(event, id)
    const numbers = all.map(({ redelivery }) => redelivery)
    if (numbers.some((number, i) => number < (numbers[i - 1] ?? 0))) wrong.push(`${id}: sent as ${numbers}`)
  }
  for (const { id, state, attempts, redeliveries } of list) {
    const all = requests.get(id) ?? []
    if (state !== 'delivered') wrong.push(`${id}: ${state}`)
    if (!all.some(isAccepted)) wrong.push(`${id}: delivered without a response`)
    // An attempt that a kill cut off is not counted.
    if (attempts > all.length) wrong.push(`${id}: ${attempts} attempts, ${all.length} requests`)
    if (redeliveries < (acknowledged.get(id) ?? 0)) wrong.push(`${id}: redelivery forgotten`)
  }
  return wrong
}
