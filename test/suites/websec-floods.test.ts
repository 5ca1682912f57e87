import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { homes, startServe } from '../helpers/serving.ts'

/** Sends text over a connection, and collects what comes back until the connection is closed. */
async function exchange(
  baseUrl: string,
  text: string,
  more?: Buffer,
): Promise<{ received: string; sent: number }> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    const send = () => {
      if (more) while (!socket.destroyed && socket.write(more));
    }
    socket.setEncoding('latin1').on('data', (data: string) => {
      received += data
    })
    socket.on('drain', send).on('error', () => {})
    socket.on('close', () => resolve({ received, sent: socket.bytesWritten }))
    socket.write(text)
    send()
  })
}

test('a client that pipelines requests without end gets 64 responses and a last one', async () => {
  const { ready } = await startServe(['--quiet'], homes())
  const request = 'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const { received } = await exchange(ready.base_url, request.repeat(1000))
  const statuses = received.match(/^HTTP\/1\.1 \d+/gm) ?? []
  expect(statuses.filter((status) => status.endsWith('429'))).toHaveLength(1)
  expect(statuses.at(-1)).toBe('HTTP/1.1 429')
  expect(statuses.length).toBe(65)
  expect((await fetch(new URL('/readyz', ready.base_url))).status).toBe(200)
})

test.each(['x', '100-continue, x', '200-ok'])(
  'an expectation of %j is refused, and little of the body is read',
  async (expectation) => {
    const { ready } = await startServe(['--quiet'], homes())
    const { received, sent } = await exchange(
      ready.base_url,
      `POST /v1/rooms HTTP/1.1\r\nHost: localhost\r\nExpect: ${expectation}\r\nContent-Length: 99999999999\r\n\r\n`,
      Buffer.alloc(64 * 1024),
    )
    expect(received).toMatch(/^HTTP\/1\.1 (400|417) /)
    // What the sockets of both sides hold comes on top of the 10 MB that the service discards.
    expect(sent).toBeLessThan(60e6)
  },
)
