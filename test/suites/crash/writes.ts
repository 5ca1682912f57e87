import { eventsOf, type Kills, killAgain, type Life, startEventReceiver } from '../../helpers/kill-harness.ts'
import { deleted, Oracle } from '../../helpers/oracle.ts'

/** Number of own rooms above which a writer always deletes its oldest room. */
const kept = 20

/**
 * Kills a service while rooms are created, renamed, deleted and read, and sessions begin and end. After each
 * kill, compares the stored state with all writes that were acknowledged to a writer or shown to a reader.
 * Clients never pause, so that kills interrupt requests.
 */
export async function killWrites({
  most,
  random,
  ...kills
}: Omit<Kills, 'isOver'> & {
  /** Each kill follows 3 to `most` + 2 new writes or sessions. */
  most: number
  /** Returns a fraction in [0, 1). */
  random(): number
}) {
  const receiver = await startEventReceiver()
  const oracle = new Oracle()
  const lost: string[] = []
  let meeting: string | undefined
  let count = 0

  async function live(life: Life): Promise<void> {
    lost.push(...(await lossesOf(oracle, life, meeting)))
    count++
    if (lost.length > 0) return life.kill()
    meeting ??= await openMeeting(life)
    await beBusy(life, oracle, { quota: 3 + Math.floor(random() * most), random, meeting })
  }
  const openMeeting = async ({ api }: Life): Promise<string> =>
    (await api('POST', '/rooms', { name: 'Meeting', type: 'open', webhook: { url: receiver.url } })).room.id

  return killAgain({ ...kills, isOver: () => lost.length > 0 }, live, async (life) => {
    if (lost.length === 0) lost.push(...(await lossesOf(oracle, life, meeting)))
    const survived = { kills: count, ...oracle.counts, lost }
    if (lost.length > 0) return { ...survived, sessions: 0, open: [], renamed: [] }
    const { sessions } = await life.api('GET', `/rooms/${meeting}/sessions`)
    await receiver.receives(sessions.flatMap(eventsOf))
    const open = sessions.filter((session: { disconnected_at: unknown }) => session.disconnected_at === null)
    return { ...survived, sessions: sessions.length as number, open, renamed: receiver.renamed() }
  })
}

/** Runs several clients, and kills the service after `quota` new writes or sessions. */
async function beBusy(
  { api, join, kill, isKilled }: Life,
  oracle: Oracle,
  { quota, random, meeting }: { quota: number; random(): number; meeting: string },
): Promise<void> {
  let news = 0
  const isNews = (isSo: boolean) => {
    if (isSo && ++news >= quota && !isKilled()) kill()
  }

  const writer = async () => {
    const own: string[] = []
    while (!isKilled()) {
      const { room } = await api('POST', '/rooms', { name: '0', type: 'open' })
      isNews(oracle.learn(room.id, 0, 'acknowledged'))
      own.push(room.id)
      for (let number = 1; number <= 3 && !isKilled(); number++) {
        await api('PUT', `/rooms/${room.id}`, { name: String(number) })
        isNews(oracle.learn(room.id, number, 'acknowledged'))
      }
      const oldest = own.length > kept || random() < 0.3 ? own.shift() : undefined
      if (oldest === undefined || isKilled()) continue
      oracle.deleting(oldest)
      await api('DELETE', `/rooms/${oldest}`)
      isNews(oracle.learn(oldest, deleted, 'acknowledged'))
    }
  }
  const reader = async () => {
    while (!isKilled()) {
      const { rooms } = await api('GET', '/rooms?limit=20')
      for (const { id, name } of rooms) if (id !== meeting) isNews(oracle.learn(id, Number(name), 'seen'))
    }
  }
  const visitor = async () => {
    while (!isKilled()) {
      const socket = await join(meeting)
      isNews(true)
      if (random() < 0.5) socket.close()
    }
  }
  // Requests that the kill interrupts fail, and their outcome stays unknown.
  await Promise.allSettled([writer(), writer(), reader(), reader(), visitor()])
}

/** Returns the lost writes, one line each. Deletes rooms beyond the first 100. */
async function lossesOf(oracle: Oracle, { api }: Life, meeting: string | undefined): Promise<string[]> {
  const held = new Map<string, number>()
  for (let offset = 0; ; ) {
    const { rooms, paging } = await api('GET', `/rooms?limit=1000&offset=${offset}`)
    for (const { id, name } of rooms) if (id !== meeting) held.set(id, Number(name))
    offset += rooms.length
    if (rooms.length === 0 || offset >= paging.total) break
  }
  const lost = oracle.missing(held)
  // Limits the number of rooms, so that later checks do not become slower.
  for (const id of [...held.keys()].slice(100)) {
    oracle.deleting(id)
    await api('DELETE', `/rooms/${id}`)
    oracle.learn(id, deleted, 'acknowledged')
  }
  return lost
}
