import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createPost } from '../../../src/embedded/webhooks/post.ts'
import { lookupIn } from '../../helpers/lookup.ts'
import { startReceiver } from '../../helpers/receiver.ts'

const { lookup } = lookupIn({ 'loopback.test': [['127.0.0.1']] })

function createTestPost(allowPrivate = false) {
  const post = createPost(allowPrivate, lookup)
  onTestFinished(() => post.close())
  return post
}

describe('a webhook POST', () => {
  test('a webhook POST sends the path, query, headers and body', async () => {
    const { url, inbox } = await startReceiver()
    const { status } = await createTestPost()(
      `${url}/hooks/a%20b?x=1`,
      { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
      '{"ä":1}',
    )
    expect(status).toBe(200)
    expect(inbox.all).toMatchObject([
      {
        method: 'POST',
        path: '/hooks/a%20b?x=1',
        headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1', 'content-length': '8' },
        body: '{"ä":1}',
      },
    ])
  })

  test.each([200, 204, 400, 410, 500, 503])('a webhook POST resolves to the status %i', async (status) => {
    const { url } = await startReceiver((_, response) => void response.writeHead(status).end())
    expect(await createTestPost()(url, {}, '{}')).toEqual({ status, text: '' })
  })

  test('a webhook POST resolves to the first 4 KB of the response body as text', async () => {
    const { url } = await startReceiver((_, response) => void response.end(`ä${'x'.repeat(5000)}`))
    expect(await createTestPost()(url, {}, '{}')).toEqual({ status: 200, text: `ä${'x'.repeat(4094)}` })
  })

  test('a webhook POST succeeds with a response body of 5 MB', async () => {
    const { url } = await startReceiver((_, response) => void response.end('x'.repeat(5_000_000)))
    const post = createTestPost()
    expect(await post(url, {}, '{}')).toMatchObject({ status: 200 })
    expect(await post(url, {}, '{}')).toMatchObject({ status: 200 })
  })

  test('a webhook POST fails if no receiver listens on the port', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    await expect(createTestPost()(`http://127.0.0.1:${port}/`, {}, '{}')).rejects.toThrow('ECONNREFUSED')
  })

  test('a webhook POST fails if the receiver closes the connection without a response', async () => {
    const { url } = await startReceiver((_, response) => void response.destroy())
    await expect(createTestPost()(url, {}, '{}')).rejects.toThrow('other side closed')
  })

  test('a webhook POST times out after ten seconds', async () => {
    const deadline = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal)
    onTestFinished(() => timeout.mockRestore())
    const { url, inbox } = await startReceiver(() => {})
    const posted = createTestPost()(url, {}, '{}')
    await inbox.next()
    expect(timeout).toHaveBeenCalledWith(10_000)
    deadline.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    await expect(posted).rejects.toThrow('timeout')
  })

  test('close() cancels a pending webhook POST', async () => {
    const { url, inbox } = await startReceiver(() => {})
    const post = createPost(false)
    const posted = post(url, {}, '{}')
    await inbox.next()
    await Promise.all([post.close(), expect(posted).rejects.toThrow()])
  })
})

describe('a loopback webhook', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
    ['127.0.0.1', '2130706433'],
    ['127.0.0.1', '0x7f.1'],
    ['127.0.0.1', '0177.0.0.1'],
    ['127.0.0.1', '[::ffff:127.0.0.1]'],
    ['127.0.0.1', 'loopback.test'],
  ])('a webhook POST to %s is allowed if the host in the URL is %s', async (address, spelling) => {
    const { port, inbox } = await startReceiver(undefined, address)
    expect(await createTestPost()(`http://${spelling}:${port}/`, {}, '{}')).toMatchObject({ status: 200 })
    expect(inbox.all).toHaveLength(1)
  })
})

test('a webhook POST with allowPrivate reaches the IP address 0.0.0.0', async () => {
  const { port, inbox } = await startReceiver(undefined, '127.0.0.1')
  // 0.0.0.0 is forbidden by default, and reaches this machine.
  expect(await createTestPost(true)(`http://0.0.0.0:${port}/`, {}, '{}')).toMatchObject({ status: 200 })
  expect(inbox.all).toHaveLength(1)
})
