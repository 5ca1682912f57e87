import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadSqlite } from '../../src/embedded/store/sqlite.ts'
import { openWorkspace } from '../../src/embedded/workspace.ts'
import { MeetroomError } from '../../src/errors.ts'
import { runBuilt } from '../helpers/built.ts'
import { homes, startServe } from '../helpers/serving.ts'
import { fillDisk, mountDisk } from '../helpers/small-disk.ts'
import { localUrl, wireRequest } from '../helpers/wire.ts'
import { tempDir } from '../helpers/world.ts'
import { counted, notice, sized } from './size.ts'

const count = counted('crash (storage)')
const machine = { now: Date.now, quietly: <T>(load: () => Promise<T>) => load() }

async function opened(dir: string) {
  const { service, apiKey, close } = await openWorkspace({ dir, host: machine })
  const send = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await service(wireRequest(localUrl, apiKey, { method, path, body }))
    return { status, body: JSON.parse(text) }
  }
  return {
    send,
    close,
    names: async (): Promise<string[]> =>
      (await send('GET', '/rooms?limit=1000')).body.rooms.map(({ name }: { name: string }) => name).reverse(),
  }
}

const files = ['workspace.db', 'workspace.db-wal', 'api-key'] as const

const pageBytes = 4096
const frameBytes = 24 + pageBytes
const logHeaderBytes = 32

/**
 * Creates a workspace that crashed with the given number of writes in the write-ahead log. `ends` contains
 * the offset in the log at which each write ends, in bytes.
 */
async function crashed(writes: number) {
  const dir = tempDir()
  const workspace = await opened(dir)
  const log = join(dir, 'workspace.db-wal')
  const ends: number[] = []
  for (let i = 0; i < writes; i++) {
    await workspace.send('POST', '/rooms', { name: `R${i}`, type: 'open' })
    ends.push(statSync(log).size)
  }
  const copy = tempDir()
  for (const file of files) copyFileSync(join(dir, file), join(copy, file))
  workspace.close()
  const whole = readFileSync(join(copy, 'workspace.db-wal'))
  expect(whole.length).toBe(ends.at(-1))
  return {
    ends,
    whole,
    /** Returns a copy of the crashed workspace with another log. */
    withLog(bytes: Uint8Array): string {
      const dir = tempDir()
      for (const file of files) copyFileSync(join(copy, file), join(dir, file))
      writeFileSync(join(dir, 'workspace.db-wal'), bytes)
      return dir
    },
  }
}

describe('a torn write-ahead log', () => {
  const numRuns = sized(5, 2000)

  /** Expects only the first `survivors` writes, and a workspace that accepts further writes. */
  async function expectFirst(dir: string, survivors: number): Promise<void> {
    const expected = Array.from({ length: survivors }, (_, i) => `R${i}`)
    const workspace = await opened(dir)
    expect(await workspace.names()).toEqual(expected)
    expect((await workspace.send('POST', '/rooms', { name: 'after', type: 'open' })).status).toBe(200)
    workspace.close()
    const again = await opened(dir)
    expect(await again.names()).toEqual([...expected, 'after'])
    again.close()
    rmSync(dir, { recursive: true })
  }

  test('a truncated write-ahead log keeps every complete write', {
    timeout: 900_000,
  }, async () => {
    const { ends, whole, withLog } = await crashed(20)
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.integer({ min: 0, max: whole.length }),
          fc.constantFrom(...ends),
          fc.constantFrom(...ends.map((end) => end - 1)),
        ),
        async (length) => {
          await expectFirst(withLog(whole.subarray(0, length)), ends.filter((end) => end <= length).length)
          count.add('torn logs')
        },
      ),
      { numRuns, endOnFailure: true },
    )
  })

  test('a write-ahead log with a flipped bit keeps only the writes before that bit', {
    timeout: 900_000,
  }, async () => {
    const { ends, whole, withLog } = await crashed(20)
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 7 }), async (at, bit) => {
        const bytes = Buffer.from(whole)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        const frame =
          at < logHeaderBytes
            ? 0
            : logHeaderBytes + Math.floor((at - logHeaderBytes) / frameBytes) * frameBytes
        await expectFirst(withLog(bytes), ends.filter((end) => end <= frame).length)
        count.add('torn logs')
      }),
      { numRuns, endOnFailure: true },
    )
  })
})

describe('damaged bytes', () => {
  /** Creates a workspace with 100 rooms and 100 users, all in the database file. */
  async function filled(): Promise<string> {
    const dir = tempDir()
    const { send, close } = await opened(dir)
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => [
        send('POST', '/rooms', { name: `Room ${i} ${'x'.repeat(200)}`, type: 'private' }),
        send('POST', '/users', { user_id: `u${i}`, name: 'y'.repeat(100) }),
      ]).flat(),
    )
    close()
    const open = await loadSqlite((load) => load())
    const file = open(join(dir, 'workspace.db'))
    file.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    file.close()
    return dir
  }

  // fc.double would prefer small values.
  const page = fc.nat({ max: 9999 }).map((n) => n / 10_000)
  const wholePage = fc.record({
    page,
    at: fc.constant(0),
    what: fc.constantFrom<number | Uint8Array>(0, 7, 0xff),
  })
  const bytes = fc.record({
    page,
    at: fc.nat({ max: pageBytes - 1 }),
    what: fc.uint8Array({ minLength: 1, maxLength: 64 }) as fc.Arbitrary<number | Uint8Array>,
  })
  const damage = fc.array(fc.oneof(wholePage, bytes), { minLength: 1, maxLength: 4 })
  /** Damage that some requests meet, in case the random damage has no effect. */
  const evenly = [0.2, 0.4, 0.6, 0.8].map((page) => ({ page, at: 0, what: 0xff }))

  test('a service with damaged bytes in its database responds only with 200, 400 or 503', {
    timeout: 900_000,
  }, async () => {
    const template = await filled()
    const statuses: number[] = []
    await fc.assert(
      fc.asyncProperty(damage, async (places) => {
        const dir = tempDir()
        copyFileSync(join(template, 'api-key'), join(dir, 'api-key'))
        const bytes = readFileSync(join(template, 'workspace.db'))
        for (const { page, at, what } of places) {
          const start = Math.floor(page * (bytes.length / pageBytes)) * pageBytes
          if (typeof what === 'number') bytes.fill(what, start, start + pageBytes)
          else bytes.set(what.subarray(0, pageBytes - at), start + at)
        }
        writeFileSync(join(dir, 'workspace.db'), bytes)
        count.add('damaged files')
        const workspace = await opened(dir).catch((error: unknown) => {
          // Other errors would be reported as bugs.
          expect(error).toBeInstanceOf(MeetroomError)
        })
        if (!workspace) return
        for (const [method, path, body] of [
          ['GET', '/rooms?limit=1000'],
          ['GET', '/users?limit=1000'],
          ['GET', '/users/u7'],
          ['POST', '/rooms', { name: 'new', type: 'open' }],
          ['PUT', '/users/u8', { name: 'new' }],
          ['DELETE', '/users/u9'],
          ['GET', '/rooms?name=7'],
        ] as const) {
          const { status, body: answer } = await workspace.send(method, path, body)
          statuses.push(status)
          expect([200, 400, 503], `${method} ${path}: ${JSON.stringify(answer)}`).toContain(status)
          count.add('requests to damaged files')
        }
        workspace.close()
        rmSync(dir, { recursive: true })
      }),
      { numRuns: sized(8, 3000), endOnFailure: true, examples: [[evenly]] },
    )
    // Damage without any effect, and damage that prevents every opening, would test little.
    for (const status of [200, 503]) expect(statuses).toContain(status)
  })

  test.each(['pages', 'text'] as const)(
    '--local exits 74 and serve responds 503 if the database contains damaged %s',
    { timeout: 120_000 },
    async (kind) => {
      const env = homes()
      const database = join(env.MEETROOM_DATA_DIR, 'workspace.db')
      const bytes = readFileSync(join(await filled(), 'workspace.db'))
      // In the second case, every third “x” in the room names becomes invalid UTF-8.
      if (kind === 'pages') bytes.fill(7, Math.floor(bytes.length * 0.8))
      else for (let at = bytes.indexOf('xxx'); at !== -1; at = bytes.indexOf('xxx', at + 3)) bytes[at] = 0xff
      mkdirSync(env.MEETROOM_DATA_DIR)
      writeFileSync(database, bytes)
      const stderr = `error: the database ${database} is damaged\nhint: restore a backup with: meetroom local restore FILE --data-dir ${env.MEETROOM_DATA_DIR}\n`
      const list = ['--local', 'rooms', 'list', '--all', '-o', 'ids']
      expect(await runBuilt(list, env)).toEqual({ code: 74, stdout: '', stderr })
      const { call, stop } = await startServe([], env)
      const body = { error: { code: 'storage', message: 'the workspace is damaged' } }
      for (let i = 0; i < 5; i++)
        expect(await call('GET', '/rooms?limit=1000')).toEqual({ status: 503, body })
      expect(await stop()).toEqual({ code: 0, signal: null })
    },
  )
})

test('the service keeps acknowledged rooms after a kill on a full disk', {
  timeout: 300_000,
}, async ({ skip }) => {
  const dir = join(tempDir(), 'disk')
  if (!mountDisk(dir, 'size=4m')) {
    notice('crash', 'full disks: mounting a small disk requires more rights')
    return skip()
  }
  let seed = 7
  const random = () => {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  }
  const ballast = join(dir, 'ballast')
  const env = { ...homes(), MEETROOM_DATA_DIR: dir }
  const kills = sized(1, 25)
  for (let i = 0; i < kills; i++) {
    const { call, child, ended } = await startServe([], env)
    const make = async (n: number) => {
      const name = `${i}-${n} ${'x'.repeat(random() * 4000)}`
      const { status, body } = await call('POST', '/rooms', { name, type: 'open' })
      return { status, id: body.room?.id ?? '' }
    }
    const made = [await make(0), await make(1)]
    expect(made.map(({ status }) => status)).toEqual([200, 200])
    fillDisk(ballast)
    let refused = 0
    for (let n = 2; refused === 0 && n < 2000; n++) {
      const answers = await Promise.all([make(n), make(n), make(n)])
      for (const answer of answers) {
        expect([200, 503]).toContain(answer.status)
        if (answer.status === 200) made.push(answer)
        else refused++
      }
    }
    expect(refused).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await ended()
    rmSync(ballast)
    const again = await startServe([], env)
    const { rooms } = (await again.call('GET', '/rooms?limit=1000')).body
    const held = new Set<string>(rooms.map(({ id }: { id: string }) => id))
    expect(made.filter(({ id }) => !held.has(id))).toEqual([])
    for (const id of held) await again.call('DELETE', `/rooms/${id}`)
    again.child.kill('SIGKILL')
    await again.ended()
    count.add('kills on a full disk')
  }
})
