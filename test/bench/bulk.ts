// `users import` beside autocannon, xargs curl and curl -Z on the same service, its memory, and long lists beside a bare
// loop of undici. Run with: npm run bench:bulk [-- --rows 20000,200000 --service durable,ephemeral,stub
// --memory 20000,200000,1000000 --rooms 100000 --curl 2000 --rounds 3]; 0 leaves a part out. The durable service waits for
// its disk at every commit, the ephemeral one is the same service in memory, and the stub answers without doing anything:
// then the client is the bound.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { type Ran, run } from './measured.ts'
import { firstLine, launcher, type Served, send, startService } from './served.ts'

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000,200000' },
    service: { type: 'string', default: 'durable,ephemeral,stub' },
    memory: { type: 'string', default: '20000,200000,1000000' },
    rooms: { type: 'string', default: '100000' },
    curl: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
  },
})
const numbers = (list: string) => list.split(',').map(Number).filter(Boolean)
const rounds = Number(flags.rounds)
const connections = 32

const dir = mkdtempSync(join(tmpdir(), 'meetroom-bulk-'))
const { NODE_EXTRA_CA_CERTS: _, ...bare } = process.env
const home = {
  ...bare,
  HOME: dir,
  XDG_CACHE_HOME: join(dir, 'cache'),
  MEETROOM_CONFIG_DIR: join(dir, 'config'),
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const children: ChildProcess[] = []
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

type Target = Pick<Served, 'baseUrl' | 'apiKey'> & { stop(): unknown }

/** A service that ends with this process, however that ends. */
async function start(service = 'durable'): Promise<Target> {
  if (service === 'stub') return stub()
  const served = await startService(undefined, service === 'durable' ? [] : [`--${service}`])
  children.push(served.child)
  return served
}

const person = (who: string, i: number) => {
  const id = `${who}-${String(i).padStart(8, '0')}`
  return { user_id: id, name: `Person ${id}`, email: `${id}@example.com` }
}

/** A CSV of so many users. */
function writePeople(who: string, rows: number): string {
  const path = join(dir, `${who}-${rows}.csv`)
  const file = openSync(path, 'w')
  writeSync(file, 'user_id,name,email\n')
  for (let i = 0; i < rows; i += 1000)
    writeSync(
      file,
      Array.from({ length: Math.min(1000, rows - i) }, (_, j) => {
        const { user_id, name, email } = person(who, i + j)
        return `${user_id},${name},${email}\n`
      }).join(''),
    )
  closeSync(file)
  return path
}

function envFor(baseUrl: string, apiKey: string): NodeJS.ProcessEnv {
  return { ...home, MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey }
}

function importPeople(file: string, env: NodeJS.ProcessEnv, ...more: string[]): Promise<Ran> {
  const command = ['users', 'import', file, '--if-exists', 'overwrite', '--concurrency', String(connections)]
  return run([process.execPath, launcher, ...command, '-q', ...more], env)
}

/**
 * POSTs these bodies, or one body so many times, and waits for the last answer; starting a process is not included. All
 * requests are built beforehand.
 */
async function cannon(
  url: string,
  apiKey: string,
  amount: number,
  bodyOf: (i: number) => unknown,
): Promise<Ran> {
  let clients = 0
  let first = 0
  const setupClient = (client: autocannon.Client) => {
    // Split as autocannon splits them.
    const share = Math.floor(amount / connections) + (clients++ < amount % connections ? 1 : 0)
    const mine = first
    first += share
    client.setRequests(
      Array.from({ length: share }, (_, i) => ({
        method: 'POST' as const,
        body: JSON.stringify(bodyOf(mine + i)),
      })),
    )
  }
  let began = 0
  const result = await new Promise<autocannon.Result>((done, failed) => {
    const running = autocannon(
      {
        url,
        amount,
        connections,
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        setupClient,
        // It ends at a sample, and by default takes one per second.
        sampleInt: 10,
        skipAggregateResult: true,
      } as autocannon.Options,
      (error, result) => (error ? failed(error) : done(result)),
    )
    running.once('start', () => {
      began = performance.now()
    })
  })
  const ms = performance.now() - began
  const { errors, timeouts, non2xx } = result
  if (errors + timeouts + non2xx > 0) throw new Error(`autocannon: ${errors + timeouts + non2xx} failed`)
  return { ms, cpuMs: Number.NaN, peakMb: Number.NaN }
}

function curlHeaders({ apiKey }: Target): string {
  const path = join(dir, 'headers')
  writeFileSync(path, `authorization: Bearer ${apiKey}\ncontent-type: application/json\n`, { mode: 0o600 })
  return path
}

/** One process per row, eight at a time. */
function xargs(served: Target, rows: number): Promise<Ran> {
  const body = JSON.stringify(person('xargs', 0)).replaceAll('00000000', '{}').replaceAll('"', '\\"')
  const curl = `curl -sf -o /dev/null -H @${curlHeaders(served)} -d "${body}" ${served.baseUrl}/users`
  return run(['bash', '-c', `seq 10000000 ${10_000_000 + rows - 1} | xargs -P 8 -I{} ${curl}`], home)
}

/** One process that sends several requests at a time, as its configuration says. */
function curlParallel(served: Target, rows: number): Promise<Ran> {
  const headers = curlHeaders(served)
  const config = join(dir, 'curl.conf')
  const one = (i: number) =>
    [
      `url = "${served.baseUrl}/users"`,
      `header = "@${headers}"`,
      `data = ${JSON.stringify(JSON.stringify(person('curl', i)))}`,
      'output = "/dev/null"',
      'fail',
      'silent',
    ].join('\n')
  writeFileSync(config, `${Array.from({ length: rows }, (_, i) => one(i)).join('\nnext\n')}\n`)
  return run(['curl', '-Z', '--parallel-max', String(connections), '-K', config], home)
}

interface Rate {
  service: string
  what: string
  rows: number
  perSecond: number
  /** Share of the rate of autocannon in the same round. */
  ratio: number
  peakMb: number
}

async function rates(rows: number, service: string): Promise<Rate[]> {
  const curlRows = Math.min(rows, Number(flags.curl))
  const [without, withJournal] = [writePeople('plain', rows), writePeople('noted', rows)]
  const contenders: { what: string; rows: number; go(served: Target): Promise<Ran> }[] = [
    {
      what: 'autocannon',
      rows,
      go: ({ baseUrl, apiKey }) => cannon(`${baseUrl}/users`, apiKey, rows, (i) => person('cannon', i)),
    },
    {
      what: 'import --no-journal',
      rows,
      go: ({ baseUrl, apiKey }) => importPeople(without, envFor(baseUrl, apiKey), '--no-journal'),
    },
    {
      what: 'import',
      rows,
      go: ({ baseUrl, apiKey }) => importPeople(withJournal, envFor(baseUrl, apiKey)),
    },
    // What the service makes of a user that exists already, for comparison.
    {
      what: 'autocannon, one row',
      rows,
      go: ({ baseUrl, apiKey }) => cannon(`${baseUrl}/users`, apiKey, rows, () => person('cannon', 0)),
    },
  ]
  if (curlRows > 0)
    contenders.push(
      { what: 'curl -Z, 32', rows: curlRows * 5, go: (served) => curlParallel(served, curlRows * 5) },
      { what: 'xargs -P 8 curl', rows: curlRows, go: (served) => xargs(served, curlRows) },
    )
  const ran = contenders.map(() => [] as { perSecond: number; peakMb: number }[])
  for (let round = 0; round < rounds; round++) {
    const served = await start(service)
    // The first run warms up the service, which should count for nobody.
    await cannon(`${served.baseUrl}/users`, served.apiKey, 5000, (i) => person('warm', i))
    for (let i = 0; i < contenders.length; i++) {
      // Each round starts with another contender.
      const turn = (i + round) % contenders.length
      const contender = contenders[turn]
      if (!contender) continue
      const { ms, peakMb } = await contender.go(served)
      ran[turn]?.push({ perSecond: (contender.rows / ms) * 1000, peakMb })
    }
    if (service !== 'stub')
      await requireHeld(served, [
        `plain-${String(rows - 1).padStart(8, '0')}`,
        'noted-00000000',
        'cannon-00000000',
      ])
    await served.stop()
  }
  return contenders.map(({ what, rows }, i) => ({
    service,
    what,
    rows,
    perSecond: Math.round(median((ran[i] ?? []).map(({ perSecond }) => perSecond))),
    ratio: median(
      (ran[i] ?? []).map(({ perSecond }, j) => perSecond / (ran[0]?.[j]?.perSecond ?? Number.NaN)),
    ),
    peakMb: Math.round(Math.max(...(ran[i] ?? []).map(({ peakMb }) => peakMb))),
  }))
}

async function requireHeld(served: Target, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { user } = await send(served, 'GET', `/users/${id}`)
    if (user?.user_id !== id) throw new Error(`the service does not hold ${id}`)
  }
}

async function stub(): Promise<Target> {
  const program = new URL('user-stub.mjs', import.meta.url).pathname
  const child = spawn(process.execPath, [program], { env: home, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return {
    baseUrl: `http://127.0.0.1:${await firstLine(child)}/v1`,
    apiKey: 'no-key',
    stop: () => child.kill(),
  }
}

interface Memory {
  what: string
  rows: number
  perSecond: number
  peakMb: number
}

async function memory(): Promise<Memory[]> {
  const { baseUrl, stop } = await stub()
  const env = envFor(baseUrl, 'no-key')
  const found: Memory[] = []
  for (const rows of numbers(flags.memory)) {
    // What the client costs on its own.
    const { ms } = await cannon(`${baseUrl}/users`, 'no-key', Math.min(rows, 200_000), (i) =>
      person('many', i),
    )
    found.push({
      what: 'stub, autocannon',
      rows,
      perSecond: Math.round((Math.min(rows, 200_000) / ms) * 1000),
      peakMb: Number.NaN,
    })
    const file = writePeople('many', rows)
    for (const more of [['--no-journal'], []]) {
      const { ms, peakMb } = await importPeople(file, env, ...more)
      const what = ['stub, import', ...more].join(' ')
      found.push({ what, rows, perSecond: Math.round((rows / ms) * 1000), peakMb: Math.round(peakMb) })
      if (more.length === 0) rmSync(`${file}.journal`)
    }
    rmSync(file)
  }
  stop()
  return found
}

interface Listed {
  rooms: number
  ms: number
  peakMb: number
  bareMs: number
  barePeakMb: number
  ratio: number
  firstLineBeforeSecondPage: boolean
  head: { ms: number; status: string; stderr: string }
}

const listCommand = [process.execPath, launcher, 'rooms', 'list', '--all', '-o', 'ndjson']
/** The list command, unless told otherwise. */
const pageSize = 1000

async function listing(rooms: number): Promise<Listed> {
  const served = await start()
  await cannon(`${served.baseUrl}/rooms`, served.apiKey, rooms, (i) => ({ name: `Room ${i}`, type: 'open' }))
  const env = envFor(served.baseUrl, served.apiKey)
  const loop = join(dir, 'loop.mjs')
  writeFileSync(
    loop,
    `import undici from ${JSON.stringify(resolve('node_modules/undici/index.js'))}
    const { origin, pathname } = new URL(process.env.MEETROOM_BASE_URL)
    const pool = new undici.Pool(origin, { connections: 1 })
    const headers = { authorization: 'Bearer ' + process.env.MEETROOM_API_KEY }
    for (let offset = 0; ;) {
      const { body } = await pool.request({ method: 'GET', path: pathname + '/rooms?limit=${pageSize}&offset=' + offset, headers })
      const { rooms, paging } = JSON.parse(await body.text())
      process.stdout.write(rooms.map((room) => JSON.stringify(room) + '\\n').join(''))
      offset += rooms.length
      if (rooms.length === 0 || offset >= paging.total) break
    }
    await pool.close()`,
  )
  const [ours, theirs]: [Ran[], Ran[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const outputs = [join(dir, 'ours.ndjson'), join(dir, 'theirs.ndjson')] as const
    const [a, b] = outputs.map((path) => openSync(path, 'w')) as [number, number]
    const mine = await run(listCommand, env, a)
    const bareLoop = await run([process.execPath, loop], env, b)
    closeSync(a)
    closeSync(b)
    const [x, y] = outputs.map((path) => readFileSync(path, 'latin1').split('\n').length - 1)
    if (x !== rooms || y !== rooms) throw new Error(`${x} and ${y} lines instead of ${rooms}`)
    // The first run leaves the code cache that the next ones use.
    if (round === 0) continue
    ours.push(mine)
    theirs.push(bareLoop)
  }
  const quoted = listCommand.map((word) => `'${word}'`).join(' ')
  const began = performance.now()
  const script = `${quoted} | head -1 > /dev/null; echo "\${PIPESTATUS[0]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' })
  const head = { ms: Math.round(performance.now() - began), status: stdout.trim(), stderr }
  await served.stop()
  return {
    rooms,
    ms: Math.round(median(ours.map(({ ms }) => ms))),
    peakMb: Math.round(Math.max(...ours.map(({ peakMb }) => peakMb))),
    bareMs: Math.round(median(theirs.map(({ ms }) => ms))),
    barePeakMb: Math.round(Math.max(...theirs.map(({ peakMb }) => peakMb))),
    ratio: median(ours.map(({ ms }, i) => ms / (theirs[i]?.ms ?? Number.NaN))),
    firstLineBeforeSecondPage: await firstLineIsEarly(),
    head,
  }
}

/** Whether the first line is printed although the second page never comes. */
async function firstLineIsEarly(): Promise<boolean> {
  const rooms = Array.from({ length: pageSize }, (_, i) => ({
    id: `room-${i}`,
    type: 'open',
    name: `Room ${i}`,
  }))
  const server = createServer((request, response) => {
    const offset = Number(new URL(request.url ?? '/', 'http://stub').searchParams.get('offset') ?? 0)
    if (offset > 0) return
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ rooms, paging: { limit: pageSize, offset, total: 5000 } }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const [program = '', ...argv] = listCommand
  const child = spawn(program, argv, {
    env: envFor(`http://127.0.0.1:${port}/v1`, 'no-key'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Ending the program ends the wait.
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  const line = await firstLine(child).catch(() => '')
  clearTimeout(timer)
  child.kill('SIGKILL')
  server.closeAllConnections()
  server.close()
  return line.includes('room-0')
}

// The first run leaves the code cache that the others use.
const warm = await stub()
for (let i = 0; i < 2; i++)
  await importPeople(writePeople('warm', 100), envFor(warm.baseUrl, 'no-key'), '--no-journal')
warm.stop()

const table: Rate[] = []
for (const service of flags.service.split(','))
  for (const rows of numbers(flags.rows)) {
    const found = await rates(rows, service)
    table.push(...found)
    for (const { what, perSecond, ratio, peakMb } of found) {
      const peak = peakMb > 0 ? `   peak ${peakMb} MB` : ''
      console.log(
        `${service} ${String(rows).padStart(7)}  ${what.padEnd(24)} ${String(perSecond).padStart(6)}/s   ${ratio.toFixed(3)} of autocannon${peak}`,
      )
    }
    const rateOf = (what: string) => found.find((rate) => rate.what === what)?.perSecond ?? Number.NaN
    if (rateOf('xargs -P 8 curl') > 0)
      for (const what of ['import --no-journal', 'import', 'autocannon'])
        console.log(`${what}: ${(rateOf(what) / rateOf('xargs -P 8 curl')).toFixed(1)} × xargs -P 8 curl`)
  }
const peaks = numbers(flags.memory).length > 0 ? await memory() : []
for (const { what, rows, perSecond, peakMb } of peaks)
  console.log(
    `${String(rows).padStart(7)}  ${what.padEnd(24)} ${String(perSecond).padStart(6)}/s${peakMb > 0 ? `   peak ${peakMb} MB` : ''}`,
  )
const [rooms] = numbers(flags.rooms)
const list = rooms === undefined ? undefined : await listing(rooms)
if (list) {
  const { ms, peakMb, bareMs, barePeakMb, ratio, firstLineBeforeSecondPage, head } = list
  console.log(
    `${String(list.rooms).padStart(7)}  rooms list -o ndjson     ${ms} ms, peak ${peakMb} MB; bare loop ${bareMs} ms, peak ${barePeakMb} MB; ${ratio.toFixed(2)} ×`,
  )
  console.log(
    `first line ${firstLineBeforeSecondPage ? 'before' : 'only after'} the second page; | head -1: ${head.ms} ms, exit ${head.status}, ${head.stderr === '' ? 'quiet' : JSON.stringify(head.stderr)}`,
  )
}
rmSync(dir, { recursive: true, force: true })
console.log(JSON.stringify({ node: process.version, rounds, table, peaks, list }))
