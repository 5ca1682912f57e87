import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TransportError } from '../../../src/api/wire.ts'
import { createWorkspace, type TestWorkspace } from '../../helpers/workspace-file.ts'
import { answer } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

/** Number of generated cases; `npm run test:workspace` runs more. */
const numRuns = Number(process.env['WORKSPACE_RUNS'] ?? sized(10, 50))

const rooms = ['Algebra', 'Biology', 'Chemistry']
const people = ['ada', 'grace', 'alan']
const file = JSON.stringify({
  users: people.map((user_id) => ({ user_id, name: `Name of ${user_id}` })),
  rooms: rooms.map((name, i) => ({
    ...{ key: name.toLowerCase(), name, type: 'private' },
    ...(i === 2 && { is_terminated: true }),
    members: people.map((user_id, j) => ({ user_id, type: i === j ? 'host' : 'guest' })),
  })),
})
const flags = '--yes --max 500 --concurrency 3'
const apply = `workspace apply school.json ${flags}`

/** Platform that identifies the requests of the killed run. */
const killedPlatform = 'aix'

async function readState(at: TestWorkspace) {
  const found = await at.rooms()
  const described = found.map(async ({ id, name, terminated_at }) => ({
    ...{ name, isTerminated: terminated_at !== null },
    members: await at.members(id),
  }))
  return {
    users: (await at.users()).map(({ user_id, name }) => `${user_id} ${name}`).sort(),
    rooms: (await Promise.all(described)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** Returns the state and the number of requests of an undisturbed run. */
const expected = async () => {
  const at = await createWorkspace()
  at.write(file, 'school.json')
  expect((await at.run(apply)).code).toBe(0)
  return { state: await readState(at), requests: at.world.requests.length }
}

test('workspace apply reaches the same workspace after an earlier run was killed at any request', async () => {
  const { state, requests } = await expected()
  const point = fc.record({ at: fc.integer({ min: 1, max: requests - 1 }), isExecuted: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(point, async (kill) => {
      const at = await createWorkspace()
      at.write(file, 'school.json')
      let count = 0
      let die = () => {}
      const dead = new Promise<void>((resolve) => {
        die = resolve
      })
      // From the kill on, new requests of the run get no response.
      at.world.intercept = async ({ headers }, next) => {
        const isKilledRun = headers['user-agent']?.includes(killedPlatform)
        if (!isKilledRun || ++count < kill.at) return next()
        if (count === kill.at && kill.isExecuted) await next()
        die()
        return new Promise(() => {})
      }
      at.world.start(apply.split(' '), { platform: killedPlatform }).done.catch(() => {})
      await dead
      // The killed run continues in this process, so the next run gets copies of the files.
      at.write(file, 'next.json')
      const path = join(at.world.dir, 'school.json.lock')
      if (existsSync(path)) copyFileSync(path, join(at.world.dir, 'next.json.lock'))
      const next = `workspace apply next.json ${flags}`
      const { code, stderr } = await at.run(next)
      expect([code, await readState(at)], stderr).toEqual([0, state])
      expect((await at.run(next)).writes).toEqual([])
    }),
    { numRuns },
  )
}, 120_000)

test.each([-3600, 0, 3600, 365 * 86_400])(
  'workspace apply waits for a late request of a killed run (change of the wall clock: %d s)',
  async (seconds) => {
    const at = await createWorkspace()
    at.write(JSON.stringify({ rooms: [{ key: 'a', name: 'Algebra', type: 'private' }] }), 'school.json')
    const late: (() => Promise<unknown>)[] = []
    let die = () => {}
    const dead = new Promise<void>((resolve) => {
      die = resolve
    })
    at.world.intercept = async ({ method, headers }, next) => {
      if (method !== 'POST' || !headers['user-agent']?.includes(killedPlatform)) return next()
      late.push(next)
      die()
      return new Promise(() => {})
    }
    at.world.start(apply.split(' '), { platform: killedPlatform }).done.catch(() => {})
    await dead
    copyFileSync(join(at.world.dir, 'school.json'), join(at.world.dir, 'next.json'))
    copyFileSync(join(at.world.dir, 'school.json.lock'), join(at.world.dir, 'next.json.lock'))
    const { host, done } = at.world.start(`workspace apply next.json ${flags} --timeout 40`.split(' '))
    host.setWallClock(seconds * 1000)
    const { sleep } = host
    host.sleep = async (ms, signal) => {
      for (const arrive of late.splice(0)) await arrive()
      await sleep(ms, signal)
    }
    const { code, stderr } = await done
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('waiting ')
    expect((await at.rooms()).map(({ name }) => name).sort()).toEqual(['Algebra'])
  },
)

test('repeated runs of workspace apply reach the same workspace after failed and lost responses', async () => {
  const { state } = await expected()
  const fault = fc.constantFrom(
    'ok',
    'ok',
    'ok',
    '429',
    '503',
    '502 after the write',
    'lost',
    'lost after the write',
  )
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fault), async (faults) => {
      const at = await createWorkspace()
      at.write(file, 'school.json')
      at.world.intercept = async (request, next) => {
        const kind: string = faults.next().value
        if (kind === '429' || kind === '503') return answer(Number(kind), {}, { 'retry-after': '1' })
        if (kind === 'lost') throw new TransportError('the connection was closed', true)
        const response = await next()
        if (request.method === 'GET' || !kind.endsWith('after the write')) return response
        if (kind.startsWith('502')) return answer(502, '<html>')
        throw new TransportError('the connection was closed', true)
      }
      let last = await at.run(apply)
      for (let i = 0; i < 40 && last.code !== 0; i++) last = await at.run(apply)
      at.world.intercept = undefined
      expect([last.code, await readState(at)], last.stderr).toEqual([0, state])
      expect((await at.run(apply)).writes).toEqual([])
    }),
    { numRuns: Math.ceil(numRuns / 5) },
  )
}, 120_000)
