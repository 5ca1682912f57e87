import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Opens a TCP connection to a service until the end of the test. */
export async function openSocket(origin: string, options: { allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), ...options })
  onTestFinished(() => void socket.destroy())
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve()
    })
  })
  return socket
}

/** Sends bytes, and returns the received text when the service closes the connection. */
export async function sendRaw(origin: string, ...parts: (string | Uint8Array)[]): Promise<string> {
  const socket = await openSocket(origin)
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    // The service may close the connection during a write.
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    for (const part of parts) socket.write(part)
  })
}

export function rawRequest(requestLine: string, headers: Record<string, string>, body = ''): string {
  const lines = Object.entries({ connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `${[`${requestLine} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`
}

export const upgradeHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

export const statusLine = (text: string) => text.split('\r\n', 1)[0]
