// `users import` beside autocannon and curl -Z with as many rows on the same service, its memory, and long lists beside a bare
// loop of undici. Run with: npm run bench:bulk [-- --rows 20000 --service durable,ephemeral,stub --memory 200000,1000000
// --rooms 100000 --pairs 5]; 0 leaves a part out, and --memory is left out by default. The durable service waits for its
// disk at every commit, the ephemeral one is the same service in memory, and the stub responds without storing: then the
// client is the bound. The time of autocannon excludes its start and building its requests, those of the others are of
// whole processes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { alternate, printRatio, printValue, type Ran, ratiosOf, run, spread } from './measured.ts'
import { firstLine, launcher, type Served, send, startService } from './served.ts'

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    service: { type: 'string', default: 'durable,ephemeral,stub' },
    memory: { type: 'string', default: '0' },
    rooms: { type: 'string', default: '100000' },
    pairs: { type: 'string', default: '5' },
  },
})
const numbers = (list: string) => list.split(',').map(Number).filter(Boolean)
const pairs = Number(flags.pairs)
const connections = 32

const dir = mkdtempSync(join(tmpdir(), 'meetroom-bulk-'))
const home = {
  ...process.env,
  HOME: dir,
  XDG_CACHE_HOME: join(dir, 'cache'),
  MEETROOM_CONFIG_DIR: join(dir, 'config'),
}

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
        timeout: 60,
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

type Contender = 'autocannon' | 'curl -Z, 32' | 'import' | 'import --no-journal'

async function compare(rows: number, service: string): Promise<Record<Contender, Ran[]>> {
  const [without, withJournal] = [writePeople('plain', rows), writePeople('noted', rows)]
  const contenders: Record<Contender, (served: Target) => Promise<Ran>> = {
    autocannon: ({ baseUrl, apiKey }) => cannon(`${baseUrl}/users`, apiKey, rows, (i) => person('cannon', i)),
    'curl -Z, 32': (served) => curlParallel(served, rows),
    import: ({ baseUrl, apiKey }) => importPeople(withJournal, envFor(baseUrl, apiKey)),
    'import --no-journal': ({ baseUrl, apiKey }) =>
      importPeople(without, envFor(baseUrl, apiKey), '--no-journal'),
  }
  let served: Target | undefined
  let left = 0
  const sides = Object.fromEntries(
    Object.entries(contenders).map(([what, go]) => [
      what,
      async () => {
        // Each round has a service of its own, without the users of the last round.
        if (left === 0) {
          served = await start(service)
          left = Object.keys(contenders).length
          // Warms up the service.
          await cannon(`${served.baseUrl}/users`, served.apiKey, 5000, (i) => person('warm', i))
        }
        if (!served) throw new Error('no service')
        const ran = await go(served)
        if (--left > 0) return ran
        if (service !== 'stub')
          await requireHeld(
            served,
            ['plain', 'noted', 'cannon', 'curl'].map((who) => person(who, rows - 1).user_id),
          )
        await served.stop()
        rmSync(`${withJournal}.journal`, { force: true })
        return ran
      },
    ]),
  ) as Record<Contender, () => Promise<Ran>>
  const rans = await alternate(pairs, sides)
  const of = (what: Contender) => rans[what].map(({ ms }) => (rows / ms) * 1000)
  for (const what of ['import', 'import --no-journal'] as const)
    for (const peer of ['autocannon', 'curl -Z, 32'] as const)
      printRatio(
        `${service}, ${rows} rows: ${what}, rate`,
        peer,
        ratiosOf(of(what), of(peer)),
        `${spread(of(what), 0)}/s`,
        `${peer} ${spread(of(peer), 0)}/s`,
      )
  return rans
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

/** Peak memory of imports, on the stub. */
async function measureMemory(rows: number): Promise<void> {
  const { baseUrl, stop } = await stub()
  const env = envFor(baseUrl, 'no-key')
  const file = writePeople('many', rows)
  const rans = await alternate(pairs, {
    import: async () => {
      const ran = await importPeople(file, env)
      rmSync(`${file}.journal`, { force: true })
      return ran
    },
    'import --no-journal': () => importPeople(file, env, '--no-journal'),
  })
  for (const [what, of] of Object.entries(rans)) {
    const rates = of.map(({ ms }) => (rows / ms) * 1000)
    const peaks = of.map(({ peakMb }) => peakMb)
    printValue(`stub, ${rows} rows: ${what}, peak memory`, peaks, 'MB', 0, `${spread(rates, 0)}/s`)
  }
  rmSync(file)
  stop()
}

const listCommand = [process.execPath, launcher, 'rooms', 'list', '--all', '-o', 'ndjson']
/** The list command, unless told otherwise. */
const pageSize = 1000

async function measureList(rooms: number): Promise<unknown> {
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
  const writing = (command: readonly string[]) => async () => {
    const path = join(dir, 'list.ndjson')
    const file = openSync(path, 'w')
    const ran = await run(command, env, file)
    closeSync(file)
    const lines = readFileSync(path, 'latin1').split('\n').length - 1
    if (lines !== rooms) throw new Error(`${lines} lines instead of ${rooms}`)
    return ran
  }
  const sides = { list: writing(listCommand), loop: writing([process.execPath, loop]) }
  // Stores the code cache.
  await alternate(1, sides)
  const rans = await alternate(pairs, sides)
  const of = (side: 'list' | 'loop', field: 'ms' | 'peakMb') => rans[side].map((ran) => ran[field])
  for (const [field, what, unit] of [
    ['ms', 'time', 'ms'],
    ['peakMb', 'peak memory', 'MB'],
  ] as const)
    printRatio(
      `${rooms} rooms: rooms list -o ndjson, ${what}`,
      'bare loop of undici',
      ratiosOf(of('list', field), of('loop', field)),
      `${spread(of('list', field), 0)} ${unit}`,
      `bare ${spread(of('loop', field), 0)} ${unit}`,
    )
  const quoted = listCommand.map((word) => `'${word}'`).join(' ')
  const script = `${quoted} | head -1 > /dev/null; echo "\${PIPESTATUS[0]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' })
  await served.stop()
  console.log(
    `first line ${(await isFirstLineEarly()) ? 'before' : 'only after'} the second page; | head -1: exit ${stdout.trim()}, ${stderr === '' ? 'quiet' : JSON.stringify(stderr)}`,
  )
  return rans
}

/** Whether the first line is printed although the second page never comes. */
async function isFirstLineEarly(): Promise<boolean> {
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

const imports = []
for (const service of flags.service.split(','))
  for (const rows of numbers(flags.rows)) imports.push({ service, rows, rans: await compare(rows, service) })
for (const rows of numbers(flags.memory)) await measureMemory(rows)
const [rooms] = numbers(flags.rooms)
const list = rooms === undefined ? undefined : await measureList(rooms)
rmSync(dir, { recursive: true, force: true })
console.log(JSON.stringify({ node: process.version, pairs, imports, list }))
