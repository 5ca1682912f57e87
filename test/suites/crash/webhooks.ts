import {
  type EventRequest,
  eventsOf,
  type Kills,
  killAgain,
  type Life,
  startEventReceiver,
} from '../../helpers/kill-harness.ts'

interface Delivery {
  id: string
  state: string
  attempts: number
  redeliveries: number
}

/**
 * Kills a service while sessions begin and end, and while their events are delivered and redelivered to a
 * receiver that responds 500 to some requests.
 */
export async function killWebhooks({ random, ...kills }: Kills & { random(): number }) {
  let isOver = false
  const receiver = await startEventReceiver(() => !isOver && random() < 0.4)
  const { requests } = receiver
  /** Number of acknowledged redeliveries, by delivery ID. */
  const acknowledged = new Map<string, number>()
  let room = ''
  /** Room without new events, so that only a start of the service resumes its redeliveries. */
  let quietRoom = ''

  async function live({ api, join, kill, isKilled }: Life): Promise<void> {
    const webhook = { url: receiver.url, secret: 'secret' }
    const createRoom = async () =>
      (await api('POST', '/rooms', { name: 'Meeting', type: 'open', webhook })).room.id
    room ||= await createRoom()
    if (quietRoom === '') {
      quietRoom = await createRoom()
      for (let visits = 0; visits < 5; visits++) (await join(quietRoom)).close()
    }
    let left = 3 + Math.floor(random() * 10)
    const countDown = () => {
      if (--left <= 0 && !isKilled()) kill()
    }
    const visitor = async () => {
      while (!isKilled()) {
        const socket = await join(room)
        countDown()
        if (random() < 0.7) socket.close()
      }
    }
    const redeliverer = async () => {
      while (!isKilled()) {
        const query = `state=delivered&limit=50&room_id=${random() < 0.5 ? room : quietRoom}`
        const { deliveries } = await api('GET', `/webhooks/deliveries?${query}`)
        const { id } = deliveries[Math.floor(random() * deliveries.length)] ?? {}
        if (id === undefined) continue
        const { delivery } = await api('POST', `/webhooks/deliveries/${id}/redeliver`, {}).catch((error) => {
          // Another client may have requested this redelivery first.
          if (/validation_exception/.test(String(error))) return {}
          throw error
        })
        if (!delivery) continue
        acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, delivery.redeliveries))
        countDown()
      }
    }
    await Promise.allSettled([visitor(), redeliverer(), redeliverer()])
  }

  return killAgain(kills, live, async ({ api }) => {
    isOver = true
    const sessions = [
      ...(await api('GET', `/rooms/${room}/sessions`)).sessions,
      ...(await api('GET', `/rooms/${quietRoom}/sessions`)).sessions,
    ]
    const wanted: string[] = sessions.flatMap(eventsOf)
    await receiver.receives(wanted, () =>
      [...acknowledged].filter(
        ([id, count]) => !requests.get(id)?.some(({ redelivery }) => redelivery === count),
      ),
    )
    const list = await listAll(api, () => [...requests.values()].every((all) => all.some(isAccepted)))
    const wrong = findWrong(list, requests, acknowledged, wanted)
    const redeliveries = [...acknowledged.values()].reduce((sum, count) => sum + count, 0)
    const failures = [...requests.values()].flat().filter((request) => !isAccepted(request)).length
    return { events: wanted.length, redeliveries, failures, wrong }
  })
}

const isAccepted = ({ status }: EventRequest) => status === 200

/** Lists the deliveries as soon as none is waiting and `isReady` returns true. */
async function listAll(api: Life['api'], isReady: () => boolean): Promise<Delivery[]> {
  for (;;) {
    const { deliveries, paging } = await api('GET', '/webhooks/deliveries?limit=1000')
    const waits = deliveries.some(({ state }: Delivery) => state === 'waiting')
    if (paging.total > deliveries.length) throw new Error('too many deliveries for one page')
    if (!waits && isReady()) return deliveries
  }
}

function findWrong(
  list: readonly Delivery[],
  requests: ReadonlyMap<string, readonly EventRequest[]>,
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
    // An attempt that a kill interrupts is not counted.
    if (attempts > all.length) wrong.push(`${id}: ${attempts} attempts, ${all.length} requests`)
    if (redeliveries < (acknowledged.get(id) ?? 0)) wrong.push(`${id}: redelivery forgotten`)
  }
  return wrong
}
