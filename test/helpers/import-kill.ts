import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Pool } from 'undici'
import { onTestFinished } from 'vitest'
import { listen } from './listen.ts'
import { homes, runServe } from './run-serve.ts'
import { startBuilt } from './serving.ts'
import { soon } from './waiting.ts'

export interface ImportKills {
  kind: 'users' | 'rooms'
  dir: string
  /** Minimum number of kills. The last import is then completed. */
  kills: number
  rows: number
  /** Returns a fraction in [0, 1). */
  random(): number
}

export interface ImportsSurvived {
  kills: number
  /** Number of completed files. */
  imports: number
  /** Distinct exit codes of the runs that completed the files. */
  codes: number[]
  /** Rows that the service lacks. */
  lost: string[]
  /** Rows that the service has more than once. */
  repeated: string[]
  /** Rows that the service processed more than once. */
  actedTwice: string[]
  /** Number of rows with an unknown outcome. */
  unknown: number
  /** Rows with an unknown outcome that the service lacks. */
  unfounded: string[]
}

type Served = Awaited<ReturnType<typeof runServe>>

const nameOf = { users: 'user_id', rooms: 'name' } as const

/**
 * Imports files while SIGKILL ends runs at random times.
 * @throws {Error} if a run hangs or exits with a code other than 0 and 8
 */
export async function importKillLoop({
  kind,
  dir,
  kills,
  rows,
  random,
}: ImportKills): Promise<ImportsSurvived> {
  const served = await runServe(['-q'], { ...homes(), MEETROOM_DATA_DIR: join(dir, 'service') })
  const proxy = await countingProxy(served, kind)
  const survived: ImportsSurvived = {
    kills: 0,
    imports: 0,
    codes: [],
    lost: [],
    repeated: [],
    actedTwice: [],
    unknown: 0,
    unfounded: [],
  }
  const codes = new Set<number>()
  const env = {
    HOME: dir,
    MEETROOM_CONFIG_DIR: join(dir, 'config'),
    MEETROOM_BASE_URL: proxy.baseUrl,
    MEETROOM_API_KEY: served.apiKey,
  }

  /** Runs one import. Returns undefined if the run was killed. */
  async function run(file: string, resume: boolean): Promise<ImportResult | undefined> {
    // A journal at a given path is kept after a complete run.
    const journal = ['--journal', `${file}.journal`]
    const argv = [kind, 'import', file, '-o', 'ndjson', ...journal, ...(resume ? ['--resume'] : [])]
    const { child, stdout, log, ended } = startBuilt(argv, env)
    const kill = () => child.kill('SIGKILL')
    let timer: NodeJS.Timeout | undefined
    // Some kills happen early, others during requests, before or after the service processes them.
    if (random() < 0.2) timer = setTimeout(kill, random() * 400)
    else proxy.after(1 + Math.floor(random() * Math.min(rows, 200)), random() < 0.5 ? 'came' : 'acted', kill)
    const { code } = await ended(45_000)
    clearTimeout(timer)
    // Waits for pending requests, which would otherwise look like requests that were never sent.
    await proxy.idle()
    return code === null ? undefined : { code, stdout: stdout.all, stderr: log() }
  }

  async function importFile(file: string, names: readonly string[]): Promise<ImportResult> {
    const field = nameOf[kind]
    const lines = names.map((name, i) =>
      kind === 'users' ? `${name},Person ${i},person${i}@example.com` : `${name},open`,
    )
    writeFileSync(file, `${field},${kind === 'users' ? 'name,email' : 'type'}\n${lines.join('\n')}\n`)
    for (;;) {
      const ended = await run(file, hasBegun(`${file}.journal`))
      // A kill between the creation of the lock and the write to it leaves an empty lock.
      const isLocked = ended?.stderr.includes('an unknown process') === true
      if (isLocked) rmSync(`${file}.journal.lock`)
      else if (ended) return ended
      else survived.kills++
    }
  }

  while (survived.kills < kills) {
    const file = join(dir, `${survived.imports}.csv`)
    const names = Array.from({ length: rows }, (_, i) => `f${survived.imports}-${String(i).padStart(6, '0')}`)
    const { code, stdout, stderr } = await importFile(file, names)
    if (code !== 0 && code !== 8) throw new Error(`the import ended with ${code}: ${stderr}`)
    codes.add(code)
    const unknown = stdout
      .map((line) => JSON.parse(line))
      .filter(({ status }) => status === 'unknown')
      .map(({ row }: { row: number }) => names[row - 1] ?? '')
    const held = await countHeld(served, kind, names)
    survived.imports++
    survived.lost.push(...names.filter((name) => !held.has(name)))
    survived.repeated.push(...names.filter((name) => (held.get(name) ?? 0) > 1))
    survived.actedTwice.push(...names.filter((name) => (proxy.acted.get(name) ?? 0) > 1))
    survived.unknown += unknown.length
    survived.unfounded.push(...unknown.filter((name) => !held.has(name)))
    rmSync(file)
    rmSync(`${file}.journal`)
  }
  return { ...survived, codes: [...codes] }
}

interface ImportResult {
  code: number
  stdout: string[]
  stderr: string
}

/** Returns true if a run has written the header of its journal. */
function hasBegun(journal: string): boolean {
  try {
    return readFileSync(journal, 'utf8').includes('\n')
  } catch {
    return false
  }
}

async function countHeld({ call }: Served, kind: 'users' | 'rooms', names: readonly string[]) {
  const wanted = new Set(names)
  const held = new Map<string, number>()
  for (let offset = 0; ; ) {
    const answer = (await call('GET', `/${kind}?limit=1000&offset=${offset}`)).body
    const items: Record<string, string>[] = answer[kind]
    for (const item of items) {
      const name = item[nameOf[kind]] ?? ''
      if (wanted.has(name)) held.set(name, (held.get(name) ?? 0) + 1)
    }
    offset += items.length
    if (items.length === 0 || offset >= answer.paging.total) return held
  }
}

/** Forwards complete requests, even of a killed sender, and counts the performed creations by name. */
async function countingProxy({ ready }: Served, kind: 'users' | 'rooms') {
  const { origin, pathname } = new URL(ready.base_url)
  const pool = new Pool(origin, { connections: 16 })
  const acted = new Map<string, number>()
  let under = 0
  let becameIdle = () => {}
  let countdown: { left: number; phase: 'came' | 'acted'; then: () => void } | undefined
  const note = (phase: 'came' | 'acted') => {
    if (countdown?.phase !== phase || --countdown.left > 0) return
    countdown.then()
    countdown = undefined
  }
  const server = createServer(async (request, response) => {
    under++
    try {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const creation = request.method === 'POST' && request.url === `${pathname}/${kind}`
      if (creation) note('came')
      const answer = await pool.request({
        method: request.method as 'GET',
        path: request.url ?? '/',
        headers: {
          authorization: request.headers.authorization ?? '',
          ...(body === '' ? {} : { 'content-type': 'application/json' }),
        },
        body: body === '' ? null : body,
      })
      const text = await answer.body.text()
      if (creation && answer.statusCode === 200) {
        const name = JSON.parse(body)[nameOf[kind]]
        acted.set(name, (acted.get(name) ?? 0) + 1)
        note('acted')
      }
      response.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(text)
    } catch {
      // The sender was killed during its request.
      response.destroy()
    } finally {
      if (--under === 0) becameIdle()
    }
  })
  const port = await listen(server)
  onTestFinished(() => pool.destroy())
  return {
    baseUrl: `http://127.0.0.1:${port}${pathname}`,
    acted,
    /** Calls `then` after a number of creations have arrived or have been performed. */
    after(left: number, phase: 'came' | 'acted', then: () => void) {
      countdown = { left, phase, then }
    },
    async idle() {
      countdown = undefined
      if (under === 0) return
      const idle = new Promise<void>((done) => {
        becameIdle = done
      })
      await soon('the requests under way to be answered', idle, () => ({ under }))
    },
  }
}
