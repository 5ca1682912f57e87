import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { TransportError } from '../../api/wire.ts'
import { createProxyError } from './failure.ts'
import type { HttpProxy } from './proxy.ts'

/** @throws {TransportError} if the proxy does not open the tunnel */
export async function openTunnel(
  proxy: HttpProxy,
  host: string,
  timeoutMs: number,
  closing: AbortSignal,
): Promise<Socket> {
  const { url, name, headers } = proxy
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: host,
      headers: { ...headers, host, 'proxy-connection': 'keep-alive' },
      agent: false,
      signal: closing,
    })
    const timer = setTimeout(
      () => asked.destroy(Object.assign(new Error('no tunnel in time'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    )
    asked.once('close', () => clearTimeout(timer))
    asked.once('error', (error) => reject(createProxyError(error, name)))
    asked.once('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
      clearTimeout(timer)
      // An unhandled error event would end the program. The caller of `openTunnel` handles the error.
      socket.on('error', () => {})
      if (statusCode >= 200 && statusCode < 300) {
        socket.unshift(head)
        return resolve(addAbortSignal(closing, socket))
      }
      socket.destroy()
      const why = statusCode === 407 ? '407: it requires a user name and password' : `${statusCode}`
      reject(new TransportError(`the proxy ${name} refused the connection (${why})`, false))
    })
    asked.end()
  })
}
