import { eventsOf, type Kills, killAgain, type Life, startEventReceiver } from '../../helpers/kill-harness.ts'
import { sized } from '../size.ts'

const crowd = sized(40, 120)

/**
 * Repeatedly fills a new room, terminates the room, and kills the service. Afterwards, every session must
 * have ended, and its webhooks must have arrived, each under one ID.
 */
export async function killEnds({
  random,
  ...kills
}: Kills & {
  /** Returns a fraction in [0, 1) that sets the time of each kill. */
  random(): number
}) {
  const receiver = await startEventReceiver()
  const rooms: string[] = []
  /** Times of acknowledged terminations, by room ID. */
  const terminated = new Map<string, string>()

  async function live(life: Life): Promise<void> {
    const body = { name: 'Crowd', type: 'open', webhook: { url: receiver.url } }
    const { id } = (await life.api('POST', '/rooms', body)).room
    rooms.push(id)
    for (let i = 0; i < crowd; i += 40) await Promise.all(Array.from({ length: 40 }, () => life.join(id)))
    const ending = life.api('PUT', `/rooms/${id}`, { is_terminated: true }).then(
      ({ room }) => void terminated.set(id, room.terminated_at),
      () => {},
    )
    // The number of reads varies the time of the kill.
    for (let reads = Math.floor(random() * 12); reads > 0; reads--) await life.api('GET', `/rooms/${id}`)
    life.kill()
    await ending
  }

  return killAgain(kills, live, async ({ api }) => {
    const wrong: string[] = []
    const wanted: string[] = []
    for (const id of rooms) {
      const { sessions } = await api('GET', `/rooms/${id}/sessions`)
      const open = await api('GET', `/rooms/${id}/sessions?is_connecting=true`)
      const { paging } = await api('GET', `/rooms/${id}/members`)
      const { terminated_at } = (await api('GET', `/rooms/${id}`)).room
      const known = terminated.get(id)
      if (known !== undefined && terminated_at !== known) wrong.push(`${id}: terminated at ${terminated_at}`)
      if (open.sessions.length > 0) wrong.push(`${id}: ${open.sessions.length} are connected`)
      if (paging.total > 0) wrong.push(`${id}: ${paging.total} are members`)
      const times = new Set(sessions.map((session: { disconnected_at: unknown }) => session.disconnected_at))
      // After a crash, a session that started after the last recorded time ends at its start.
      if (sessions.length !== crowd || times.has(null) || (known !== undefined && times.size > 1))
        wrong.push(`${id}: ${sessions.length} sessions, which ended at ${[...times]}`)
      wanted.push(...sessions.flatMap(eventsOf))
    }
    await receiver.receives(wanted)
    wrong.push(...receiver.renamed().map((event) => `${event}: under more than one id`))
    return { acknowledged: terminated.size, sessions: rooms.length * crowd, wrong }
  })
}
