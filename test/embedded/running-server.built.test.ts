import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  findServingProcess,
  isServedAt,
  lockWorkspace,
  type ServingProcess,
} from '../../src/embedded/running-server.ts'
import { UsageError } from '../../src/errors.ts'
import { homes, startServe } from '../helpers/serving.ts'
import { tempDir } from '../helpers/world.ts'

const machine = { quietly: <T>(load: () => Promise<T>) => load() }

function createOwner(dir: string): ServingProcess {
  const api_key_file = join(dir, 'api-key')
  writeFileSync(api_key_file, 'the-key\n')
  return { pid: 4242, base_url: 'http://127.0.0.1:4680/v1', api_key_file }
}

test('findServingProcess returns undefined for a data directory without a serving process', async () => {
  const dir = tempDir()
  expect(await findServingProcess(dir, machine)).toBeUndefined()
  expect(existsSync(join(dir, 'owner.lock'))).toBe(false)
})

test('findServingProcess returns the lock owner with its API key until the owner releases the lock', async () => {
  const dir = tempDir()
  const { publish, release } = await lockWorkspace(dir, machine)
  expect(await findServingProcess(dir, machine)).toBeUndefined()
  publish(createOwner(dir))
  expect(await findServingProcess(dir, machine)).toEqual({ ...createOwner(dir), apiKey: 'the-key' })
  release()
  expect(await findServingProcess(dir, machine)).toBeUndefined()
})

test('isServedAt returns true only while a live process holds the lock and publishes the given base URL', async () => {
  const dir = tempDir()
  const live = { ...machine, isAlive: (pid: number) => pid === process.pid }
  const owner = { ...createOwner(dir), pid: process.pid }
  const isServed = (port = 4680) => isServedAt(dir, `http://127.0.0.1:${port}/v1`, live)
  expect(await isServed()).toBe(false)
  const { publish, unpublish, release } = await lockWorkspace(dir, machine)
  expect(await isServed()).toBe(false)
  publish(owner)
  expect([await isServed(), await isServed(4681)]).toEqual([true, false])
  // A killed owner does not remove its file.
  publish({ ...owner, pid: 4242 })
  expect(await isServed()).toBe(false)
  publish(owner)
  unpublish()
  expect(await isServed()).toBe(false)
  publish(owner)
  const left = readFileSync(join(dir, 'serve.json'))
  release()
  writeFileSync(join(dir, 'serve.json'), left)
  expect(await isServed()).toBe(false)
})

test('serve.json has owner-only access', async () => {
  const dir = tempDir()
  const { publish, release } = await lockWorkspace(dir, machine)
  publish(createOwner(dir))
  expect(statSync(join(dir, 'serve.json')).mode & 0o777).toBe(0o600)
  release()
})

test('lockWorkspace sets mode 0600 on the lock file and refuses a symbolic link', async () => {
  const dir = tempDir()
  const lock = join(dir, 'owner.lock')
  writeFileSync(lock, '', { mode: 0o644 })
  const { release } = await lockWorkspace(dir, machine)
  expect(statSync(lock).mode & 0o777).toBe(0o600)
  release()
  rmSync(lock)
  symlinkSync(join(dir, 'elsewhere'), lock)
  await expect(lockWorkspace(dir, machine)).rejects.toThrow('is a symbolic link')
  expect(existsSync(join(dir, 'elsewhere'))).toBe(false)
})

test('lockWorkspace refuses a second lock and reports the base URL of the owner', async () => {
  const dir = tempDir()
  const { publish, release } = await lockWorkspace(dir, machine)
  publish(createOwner(dir))
  const second = lockWorkspace(dir, machine)
  await expect(second).rejects.toBeInstanceOf(UsageError)
  await expect(second).rejects.toThrow('already served at http://127.0.0.1:4680/v1 by process 4242')
  // The refusal does not affect the first owner.
  expect(await findServingProcess(dir, machine)).toMatchObject({ pid: 4242 })
  release()
})

test('lockWorkspace refuses a second lock even if the owner has no base URL yet', async () => {
  const dir = tempDir()
  const { release } = await lockWorkspace(dir, machine)
  await expect(lockWorkspace(dir, machine)).rejects.toThrow(`the data directory ${dir} is already served`)
  release()
})

test('exactly one of two concurrent locks of a data directory succeeds', async () => {
  const dir = tempDir()
  const locks = await Promise.allSettled([lockWorkspace(dir, machine), lockWorkspace(dir, machine)])
  expect(locks.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  for (const each of locks) if (each.status === 'fulfilled') each.value.release()
})

test('locks of different data directories are independent', async () => {
  const [one, other] = [tempDir(), tempDir()]
  const first = await lockWorkspace(one, machine)
  const second = await lockWorkspace(other, machine)
  first.publish(createOwner(one))
  expect(await findServingProcess(other, machine)).toBeUndefined()
  first.release()
  second.release()
})

test('lockWorkspace locks a released data directory again', async () => {
  const dir = tempDir()
  for (let i = 0; i < 3; i++) (await lockWorkspace(dir, machine)).release()
})

test('findServingProcess ignores serve.json if no process holds the lock', async () => {
  const dir = tempDir()
  writeFileSync(join(dir, 'serve.json'), JSON.stringify(createOwner(dir)))
  expect(await findServingProcess(dir, machine)).toBeUndefined()
  ;(await lockWorkspace(dir, machine)).release()
})

test('meetroom serve starts despite the serve.json of a killed process', {
  timeout: 20_000,
}, async () => {
  const env = homes()
  const dir = env.MEETROOM_DATA_DIR
  const killed = await startServe([], env)
  expect(await findServingProcess(dir, machine)).toMatchObject({
    pid: killed.child.pid,
    base_url: killed.ready.base_url,
  })
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  expect(existsSync(join(dir, 'serve.json'))).toBe(true)
  expect(await findServingProcess(dir, machine)).toBeUndefined()
  const next = await startServe([], env)
  expect(await findServingProcess(dir, machine)).toMatchObject({
    pid: next.child.pid,
    base_url: next.ready.base_url,
  })
})
