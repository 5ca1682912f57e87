import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopback } from '../api/loopback.ts'
import { UsageError } from '../errors.ts'
import type { Context, OpenTransport } from './context.ts'
import { visible } from './output/visible.ts'
import { type Checked, checkWebhook } from './webhook.ts'

export interface ListenOptions {
  host: string
  port: number
  secret: string | undefined
  forwardTo?: string
  exec?: string
  respond?: number
  json: boolean
}

const maxBodyBytes = 1024 * 1024

/** Receives webhooks and prints each as a line, until the interrupt. */
export async function listen(context: Context, options: ListenOptions): Promise<void> {
  const printer = await context.printer()
  const forward = options.forwardTo ? await openForward(context, options.forwardTo) : undefined
  // One at a time, in the order in which they came in.
  let queue = Promise.resolve()
  let broken: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    broken = reject
  })

  const server = createServer((request, response) => {
    queue = queue.then(() => receive(request, response)).catch(broken)
  })

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    if (request.method !== 'POST' || body === undefined) {
      response.writeHead(body === undefined ? 413 : 405, { connection: 'close' }).end()
      return
    }
    const headers = flat(request.headers)
    const checked = checkWebhook(body, headers, options.secret)
    if (checked.problem) await printer.notice(`warning: ${checked.problem}`)
    if (checked.valid)
      await printer.write(options.json ? `${JSON.stringify(checked.event)}\n` : describe(checked))
    const refused =
      checked.signature === 'wrong' || checked.signature === 'missing' ? 401 : checked.valid ? 0 : 400
    let status = options.respond ?? (refused || 200)
    if (!refused && checked.valid) {
      if (options.exec) await runProgram(context, options.exec, body)
      if (forward) status = options.respond ?? (await forward(headers, body))
    }
    response.writeHead(status).end()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(new UsageError(`${options.host}:${options.port} cannot be listened on (${code})`)),
    )
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  const url = `http://${host}:${port}/`
  if (options.json) await printer.write(`${JSON.stringify({ event: 'ready', url })}\n`)
  else await printer.notice(`listening on ${url}; ^C stops it`)
  if (!isLoopback(host)) await printer.notice(`warning: ${options.host} can be reached from other machines`)
  try {
    await Promise.race([failed, aborted(context.interrupt)])
  } finally {
    server.close()
    server.closeAllConnections()
    await forward?.close()
  }
}

function describe({ event, at, signature }: Checked): string {
  const { action, payload } = event as { action: string; payload: Record<string, unknown> }
  const who = payload['userId'] ?? 'anonymous'
  const counts = `${payload['sessionsCount']} sessions, ${payload['membersCount']} members`
  const signed = signature === 'verified' ? ', verified' : ''
  return `${visible(`${payload['timestamp'] ?? at} ${action} room ${payload['roomId']} user ${who} (${counts}${signed})`)}\n`
}

/** Passes events on as they came, and gives back the status of the answer: 502 when there is none. */
async function openForward(context: Context, target: string) {
  const transport: OpenTransport = await context.transportTo(target)
  const forward = async (headers: Readonly<Record<string, string>>, body: string): Promise<number> => {
    const kept = Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('webhook-') || name === 'content-type'),
    )
    try {
      const deadline = AbortSignal.any([context.interrupt, AbortSignal.timeout(10_000)])
      return (await transport({ method: 'POST', url: target, headers: kept, body }, deadline)).status
    } catch (error) {
      await context.notice(`warning: ${target} does not answer: ${(error as Error).message}`)
      return 502
    }
  }
  return Object.assign(forward, { close: () => transport.close?.() })
}

/** Runs a program with the event on its standard input. Words are split at blanks: there is no shell to quote for. */
function runProgram(context: Context, command: string, body: string): Promise<void> {
  const [program = '', ...words] = command.trim().split(/\s+/)
  return new Promise((done) => {
    const child = spawn(program, words, { stdio: ['pipe', 'inherit', 'inherit'], signal: context.interrupt })
    child.on('error', (error) => {
      void context.notice(`warning: ${program}: ${error.message}`).then(done)
    })
    child.on('close', (code) => {
      if (code) void context.notice(`warning: ${program} ended with ${code}`)
      done()
    })
    // A program that does not read its input is no failure of ours.
    child.stdin.on('error', () => {})
    child.stdin.end(body)
  })
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function flat(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
