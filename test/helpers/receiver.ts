import { createServer, type ServerResponse } from 'node:http'
import { Inbox } from './inbox.ts'
import { listen } from './listen.ts'

export interface Received {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

const ok = (_: Received, response: ServerResponse) => void response.end()

/** Starts a web server that records requests and responds 200 by default. */
export async function startReceiver(
  answer: (received: Received, response: ServerResponse) => void = ok,
  host = '127.0.0.1',
): Promise<{ url: string; port: number; inbox: Inbox<Received> }> {
  const inbox = new Inbox<Received>('a request')
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    }
    answer(received, response)
    inbox.put(received)
  })
  const port = await listen(server, host)
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port, inbox }
}
