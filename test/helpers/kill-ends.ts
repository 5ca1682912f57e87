import { apiOf, join, type Running, start, startReceiver } from './kill-loop.ts'

const crowd = 120

export interface Ended {
  /** Rooms whose termination was acknowledged before the kill. */
  acknowledged: number
  sessions: number
  /** What is wrong afterwards, a line each. */
  wrong: string[]
}

/**
 * Fills a room, terminates it and kills the service somewhere in the middle, again and again. However far it came, the
 * next start finds every session ended, once, with its webhooks delivered.
 * @param random a fraction in [0, 1) that decides how far it comes before each kill
 */
export async function killEnds({
  script,
  dir,
  kills,
  random,
}: {
  script: string
  dir: string
  kills: number
  random(): number
}): Promise<Ended> {
  const receiver = await startReceiver()
  const rooms: string[] = []
  const terminated = new Map<string, string>()
  try {
    for (let i = 0; i < kills; i++) {
      const running = await start(script, dir)
      const api = apiOf(running, dir)
      const body = { name: 'Crowd', type: 'open', webhook: { url: receiver.url } }
      const { id } = (await api('POST', '/rooms', body)).room
      rooms.push(id)
      await fill(running, id)
      const ending = api('PUT', `/rooms/${id}`, { is_terminated: true }).then(
        ({ room }) => void terminated.set(id, room.terminated_at),
        () => {},
      )
      // Reads set the pace: some kills come before the answer, most while ends are settled.
      for (let reads = Math.floor(random() * 12); reads > 0; reads--) await api('GET', `/rooms/${id}`)
      running.child.kill('SIGKILL')
      await Promise.all([ending, running.ended()])
    }
    const running = await start(script, dir)
    const api = apiOf(running, dir)
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
      const times = new Set(
        sessions.map((session: { disconnected_at: string | null }) => session.disconnected_at),
      )
      // After a crash, who joined after the last sign of life has ended when it began.
      if (sessions.length !== crowd || times.has(null) || (known !== undefined && times.size > 1))
        wrong.push(`${id}: ${sessions.length} sessions, which ended at ${[...times]}`)
      for (const session of sessions) wanted.push(`sessionJoined ${session.id}`, `sessionLeft ${session.id}`)
    }
    await receiver.receives(wanted)
    wrong.push(...receiver.renamed().map((event) => `${event}: under more than one id`))
    running.child.kill('SIGTERM')
    await running.ended()
    return { acknowledged: terminated.size, sessions: rooms.length * crowd, wrong }
  } finally {
    receiver.stop()
  }
}

/** Lets many in, some at a time. */
async function fill({ baseUrl }: Running, room: string): Promise<void> {
  for (let i = 0; i < crowd; i += 40) {
    const sockets = await Promise.all(Array.from({ length: 40 }, () => join(baseUrl, room)))
    for (const socket of sockets) socket.on('error', () => {})
  }
}
