// Live rooms of any size: how long it takes to end their sessions, to reach everybody, and to start again after a crash,
// and the memory of a session. Ratios are to an eighth of the sessions in the same round. Run with:
// npm run bench:live [-- SESSIONS [PAIRS]]
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { Backlog } from '../../src/embedded/sessions/backlog.ts'
import { Connection } from '../../src/embedded/sessions/connection.ts'
import { toFrame } from '../../src/embedded/sessions/frame.ts'
import { alternate, median, printRatio, printValue, ratiosOf, spread } from './measured.ts'
import { firstLine, type Served, send, startService } from './served.ts'

/** Sessions of the largest room that ends. The memory is that of a quarter more, as many rooms have two each. */
const many = Number(process.argv[2] ?? 8000)
const pairs = Number(process.argv[3] ?? 3)
const rounds = 30
const message = 'm'.repeat(200)

/** One end of a WebSocket that does no more than it must, so that the service is what is measured. */
class Peer {
  readonly socket: Socket
  readonly closed: Promise<void>
  /** Called for every text frame. */
  onText = () => {}
  #rest: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.socket = socket
    this.closed = new Promise((done) => socket.once('close', () => done()))
    socket.on('data', (chunk: Buffer) => this.#read(chunk)).on('error', () => {})
  }

  /** Connects, and waits for the first frame. */
  static async join(url: string): Promise<Peer> {
    const { hostname, port, pathname, host } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
        'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    const first = await new Promise<Buffer>((done, failed) => {
      socket.once('data', done).once('error', failed)
    })
    const [head = ''] = first.toString('latin1').split('\r\n\r\n')
    if (!head.startsWith('HTTP/1.1 101')) throw new Error(first.toString())
    const peer = new Peer(socket)
    await new Promise<void>((done) => {
      peer.onText = done
      peer.#read(first.subarray(head.length + 4))
    })
    peer.onText = () => {}
    return peer
  }

  #read(chunk: Buffer): void {
    let data: Buffer = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    for (;;) {
      const [first = 0, length = 0] = data
      const [header, payload] = length < 126 ? [2, length] : [4, data.length < 4 ? 0 : data.readUInt16BE(2)]
      if (data.length < 2 || data.length < header + payload) break
      data = data.subarray(header + payload)
      if (first === 0x81) this.onText()
      else if (first === 0x89) this.socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
      else if (first === 0x88) this.socket.end(Buffer.from([0x88, 0x80, 0, 0, 0, 0]))
    }
    this.#rest = data
  }
}

async function newRoom(served: Served): Promise<string> {
  return (await send(served, 'POST', '/rooms', { name: 'Crowd', type: 'open' })).room.id
}

const connectUrl = ({ baseUrl }: Served, room: string) =>
  `${baseUrl.replace('http', 'ws')}/rooms/${room}/connect`

/** Makes something of each, some at a time. */
async function each<From, To>(from: readonly From[], make: (item: From) => Promise<To>): Promise<To[]> {
  const made: To[] = []
  for (let i = 0; i < from.length; i += 100)
    made.push(...(await Promise.all(from.slice(i, i + 100).map(make))))
  return made
}

/** Opens a connection to each URL. */
const joinAll = (urls: readonly string[]) => each(urls, (url) => Peer.join(url))

async function crowd(served: Served, count: number): Promise<{ room: string; peers: Peer[] }> {
  const room = await newRoom(served)
  return { room, peers: await joinAll(Array<string>(count).fill(connectUrl(served, room))) }
}

function drop(peers: readonly Peer[]): void {
  for (const { socket } of peers) socket.resetAndDestroy()
}

/** Asks for a thing again and again, in a process that does nothing else, and tells the longest that it waited. */
async function watchWaiting({ baseUrl, apiKey }: Served, path: string): Promise<() => Promise<number>> {
  const program = `
    let worst = 0, asked = 0
    process.stdin.on('data', () => { console.log(worst); process.exit() })
    const headers = { authorization: 'Bearer ${apiKey}' }
    const ask = async () => {
      const began = performance.now()
      await (await fetch('${baseUrl}${path}', { headers })).text()
      // The first ones connect and warm up.
      if (asked++ === 20) console.log('ready')
      if (asked > 20) worst = Math.max(worst, performance.now() - began)
      setTimeout(ask, 2)
    }
    ask()`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  await firstLine(child)
  return () => {
    child.stdin.write('enough')
    return firstLine(child).then(Number)
  }
}

/** Milliseconds until the answer and until the last socket is closed, and the longest that a GET waits meanwhile. */
async function endSessions(count: number) {
  const served = await startService()
  const { room, peers } = await crowd(served, count)
  const worst = await watchWaiting(served, `/rooms/${room}`)
  const began = performance.now()
  const answered = send(served, 'PUT', `/rooms/${room}`, { is_terminated: true }).then(
    () => performance.now() - began,
  )
  await Promise.all(peers.map((peer) => peer.closed))
  const closed = performance.now() - began
  const result = { answered: await answered, closed, worst: await worst() }
  await served.stop()
  return result
}

/** Milliseconds until everybody has a message. */
async function tell(peers: readonly Peer[], say: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  let left = peers.length
  const told = new Promise<void>((done) => {
    for (const peer of peers)
      peer.onText = () => {
        if (--left === 0) done()
      }
  })
  await Promise.all([told, say()])
  return performance.now() - began
}

/** Milliseconds until a message to a room has reached everybody. */
async function messageTo(count: number): Promise<number> {
  const served = await startService()
  const { room, peers } = await crowd(served, count)
  const times: number[] = []
  for (let i = 0; i < rounds; i++)
    times.push(await tell(peers, () => send(served, 'POST', `/rooms/${room}/message`, { message })))
  drop(peers)
  await served.stop()
  return median(times)
}

/** What sending to many sockets takes here: a frame that they share, and one for each. Time and processor time, in ms. */
async function fanOut(count: number) {
  const webSockets: WebSocket[] = []
  const connections: Connection[] = []
  const backlog = new Backlog()
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const http = createServer().on('upgrade', (request, socket, head) =>
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new Connection(backlog)
      connection.attach(webSocket, socket, { event: 'joined' })
      connections.push(connection)
      webSockets.push(webSocket)
    }),
  )
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  const { port } = http.address() as AddressInfo
  const peers = await joinAll(Array<string>(count).fill(`ws://127.0.0.1:${port}/`))
  const event = { event: 'message', message }
  const ways = {
    shared() {
      const frame = toFrame(event)
      for (const connection of connections) connection.send(frame)
    },
    each() {
      for (const webSocket of webSockets) webSocket.send(JSON.stringify(event), () => {})
    },
  }
  const times = { shared: [] as number[], each: [] as number[] }
  const cpu = { shared: [] as number[], each: [] as number[] }
  for (let i = 0; i < rounds * 2; i++)
    for (const way of ['shared', 'each'] as const)
      await tell(peers, async () => {
        const [began, before] = [performance.now(), process.cpuUsage()]
        ways[way]()
        // What follows a write counts as well.
        await new Promise((done) => setImmediate(done))
        const { user, system } = process.cpuUsage(before)
        times[way].push(performance.now() - began)
        cpu[way].push((user + system) / 1000)
      })
  drop(peers)
  http.close()
  return { ms: times, cpu }
}

/** Memory of a session in KB, and milliseconds until everybody has a message. */
async function memory(rooms: number, perRoom: number) {
  const served = await startService()
  const ids = await each(Array<Served>(rooms).fill(served), newRoom)
  const before = served.memory().now
  const peers = await joinAll(ids.flatMap((room) => Array<string>(perRoom).fill(connectUrl(served, room))))
  // Pings come and are answered, and meetings are saved.
  await new Promise((done) => setTimeout(done, 6000))
  const after = served.memory().now
  const ms = await tell(peers.slice(-perRoom), () =>
    send(served, 'POST', `/rooms/${ids.at(-1)}/message`, { message }),
  )
  const alive = peers.filter(({ socket }) => !socket.destroyed).length
  drop(peers)
  await served.stop()
  return { kb: ((after - before) * 1024) / (rooms * perRoom), alive, ms }
}

/** Milliseconds until a service is ready that finds so many sessions left open by a crash. */
async function recovery(count: number): Promise<number> {
  const crashed = await startService()
  const { peers } = await crowd(crashed, count)
  const ended = new Promise((done) => crashed.child.once('close', done))
  crashed.child.kill('SIGKILL')
  await ended
  drop(peers)
  const began = performance.now()
  const again = await startService(crashed.dir)
  const ms = performance.now() - began
  await again.stop()
  return ms
}

const few = Math.round(many / 8)
const ends = await alternate(pairs, { few: () => endSessions(few), many: () => endSessions(many) })
for (const [field, what] of [
  ['answered', 'response'],
  ['closed', 'last socket closed'],
  ['worst', 'longest GET meanwhile'],
] as const) {
  const of = (side: 'few' | 'many') => ends[side].map((end) => end[field])
  const title = `ending ${many} sessions: ${what}`
  printRatio(title, `${few} sessions`, ratiosOf(of('many'), of('few')), `${spread(of('many'), 0)} ms`)
}

const { ms, cpu } = await fanOut(few)
for (const [what, { shared, each }] of [
  ['time', ms],
  ['CPU', cpu],
] as const)
  printRatio(
    `a shared frame to ${few} sessions: ${what}`,
    'a frame for each',
    ratiosOf(shared, each),
    `${spread(shared, 1)} ms`,
  )
const messages = await alternate(pairs, { message: () => messageTo(few) })
printValue(`a message to ${few} sessions, until the last has it`, messages.message, 'ms', 1)

const most = Math.round(many * 1.25)
/** Each session takes a handle here and one there, and the service leaves a quarter of its own to other things. */
const handles = Number(/open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
const meetings = Math.min(most, Math.floor(handles * 0.375) - 100)
const idle = await alternate(pairs, {
  [`${most} in one room`]: () => memory(1, most),
  [`${meetings} rooms with 2`]: () => memory(meetings, 2),
})
for (const [what, of] of Object.entries(idle))
  printValue(
    `memory of an idle session, ${what}`,
    of.map(({ kb }) => kb),
    'KB',
    1,
    `${Math.min(...of.map(({ alive }) => alive))} still open`,
    `a message ${spread(
      of.map(({ ms }) => ms),
      0,
    )} ms`,
  )

const starts = await alternate(pairs, { few: () => recovery(few), many: () => recovery(many) })
printRatio(
  `start after a crash with ${many} sessions`,
  `${few} sessions`,
  ratiosOf(starts.many, starts.few),
  `${spread(starts.many, 0)} ms`,
)
