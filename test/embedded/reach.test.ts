import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Transport, TransportError } from '../../src/api/wire.ts'
import { lockWorkspace } from '../../src/embedded/running-server.ts'
import { main } from '../../src/main.ts'
import { testHost } from '../helpers/host.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { openTestWorkspace } from '../helpers/wire.ts'
import { answer, tempDir } from '../helpers/world.ts'

const quietly = <T>(load: () => Promise<T>) => load()

let dir: string
let claimed: Awaited<ReturnType<typeof lockWorkspace>>
beforeEach(async () => {
  dir = tempDir()
  const workspace = await openTestWorkspace(dir)
  await workspace.send('POST', '/rooms', { name: 'Here', type: 'open' })
  workspace.close()
  claimed = await lockWorkspace(dir, { quietly })
  publish('http://127.0.0.1:1/v1', 'key-1')
})

function publish(base_url: string, key: string): void {
  const api_key_file = join(dir, `${key}.txt`)
  writeFileSync(api_key_file, key)
  claimed.publish({ pid: 1, base_url, api_key_file })
}

const createRefusal = () => new TransportError('connection refused', false)

async function list(ways: Record<string, Transport>, argv: readonly string[] = []) {
  const requests: string[] = []
  const host = testHost({ env: { MEETROOM_DATA_DIR: dir, MEETROOM_CONFIG_DIR: dir } })
  const code = await main(['--local', 'rooms', 'list', '--columns', 'name', ...argv], host, async (url) => {
    return (request, signal) => {
      requests.push(`${request.url} ${request.headers['authorization']}`)
      return (ways[url] ?? (() => Promise.reject(createRefusal())))(request, signal)
    }
  })
  return { code, stdout: host.stdout.text, stderr: host.stderr.text, requests, host }
}

test('--local opens the local workspace directly if the serving process stops before the request arrives', async () => {
  const { code, stdout, stderr, requests } = await list({
    async 'http://127.0.0.1:1/v1'() {
      claimed.release()
      throw createRefusal()
    },
  })
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'NAME\n────\nHere\n', stderr: '' })
  expect(requests).toHaveLength(1)
})

test('--local retries with the base URL and key of the next serving process if the first has stopped', async () => {
  const { code, stdout, requests } = await list({
    async 'http://127.0.0.1:1/v1'() {
      publish('http://127.0.0.1:2/v1', 'key-2')
      throw createRefusal()
    },
    'http://127.0.0.1:2/v1': async () =>
      answer(200, { rooms: [{ id: 'r', type: 'open', name: 'There' }], paging: { total: 1 } }),
  })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'NAME\n─────\nThere\n' })
  expect(requests).toEqual([
    'http://127.0.0.1:1/v1/rooms Bearer key-1',
    'http://127.0.0.1:2/v1/rooms Bearer key-2',
  ])
})

test('--local retries for at least 1 s and exits 5 if no process responds', async () => {
  const { code, stderr, host } = await list({}, ['--retries', '0'])
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining('no response from 127.0.0.1:1: connection refused'),
  })
  // Sleeping takes no time in tests.
  expect(host.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(1000)
})

test('--local does not repeat a request that the serving process may have received', async () => {
  const { code, requests } = await list(
    {
      async 'http://127.0.0.1:1/v1'() {
        claimed.release()
        throw new TransportError('the connection was reset', true)
      },
    },
    ['--retries', '0'],
  )
  expect(code).toBe(5)
  expect(requests).toHaveLength(1)
})

test('--local succeeds while the serving process is stopping', async () => {
  claimed.release()
  const { close } = await serveHere({ dir })
  const closed = close()
  expect((await list({})).code).toBe(0)
  await closed
})

test('--local ignores the base URL of a killed process after another process locks the workspace', async () => {
  claimed.release()
  publish('http://127.0.0.1:1/v1', 'key-1')
  claimed = await lockWorkspace(dir, { quietly })
  expect((await list({}, ['--retries', '0'])).code).toBe(0)
  claimed.release()
})
