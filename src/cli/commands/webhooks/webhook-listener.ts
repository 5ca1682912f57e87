import { isUtf8 } from 'node:buffer'
import { spawn } from 'node:child_process'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isConnectionHeader } from '../../../api/connection-headers.ts'
import { isLoopback } from '../../../api/loopback.ts'
import { counted } from '../../../api/plural.ts'
import { redeliveryHeader } from '../../../api/signature.ts'
import { describeSystemError } from '../../../files/system-error.ts'
import type { Context } from '../../kernel/context.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { createListenError, waitForInterrupt } from '../shared/listening.ts'
import { checkWebhook, type WebhookVerdict } from './webhook.ts'

export interface ListenOptions {
  host: string
  port: number
  secret: string | undefined
  /** Maximum difference between the time of a signature and the current time, in seconds. */
  tolerance: number
  forwardTo?: string
  exec?: string
  respond?: number
  /** Headers that a request must carry, by lowercase name. */
  required: Readonly<Record<string, string>>
  json: boolean
}

type ListenLine = Printed['webhooks listen']

const maxBodyBytes = 1024 * 1024
/** Maximum total size of bodies in memory, in bytes. */
const maxBodiesBytes = 64 * 1024 * 1024

export async function listenForWebhooks(context: Context, options: ListenOptions): Promise<void> {
  const printer = await context.printer()
  const forward = options.forwardTo ? await openForward(context, options.forwardTo) : undefined
  // Processes webhooks one at a time, ordered by the arrival of their last byte.
  let queue = Promise.resolve()
  let broken: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    broken = reject
  })

  const findRefusal = await openRefusals(options)
  const { BodyReservation, readBody } = await import('../../../embedded/http/body.ts')
  const { sendLast } = await import('../../../embedded/http/last-response.ts')
  const { LimitedServer } = await import('../../../embedded/http/limited-server.ts')
  const budget = { freeBytes: maxBodiesBytes }
  const server = new LimitedServer({}, (request, response) => {
    // Reads the body before queueing, so that a slow sender does not delay other senders.
    read(request, response).catch(() => response.destroy())
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.end(request.socket)
    void sendLast(response, 417, { 'content-length': 0 })
  })

  async function reportRefusal(status: number, reason: string): Promise<void> {
    await printer.notice(`warning: ${reason}`)
    if (options.json) await printer.json({ event: 'refused', status, reason } satisfies ListenLine)
  }

  async function read(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = async (status: number, reason: string) => {
      server.end(request.socket)
      await reportRefusal(status, reason).catch(broken)
      return sendLast(response, status, { 'content-length': 0 })
    }
    const refusal = findRefusal(request)
    if (refusal) return refuse(...refusal)
    const reservation = new BodyReservation(budget)
    const body = await readBody(request, maxBodyBytes, reservation).catch((error) => {
      reservation.release()
      throw error
    })
    if (typeof body === 'string') {
      reservation.release()
      return body === 'too large'
        ? refuse(413, 'the body is larger than 1 MB')
        : refuse(503, 'too many webhooks are waiting')
    }
    // Decoding replaces invalid bytes, so the text would differ from the signed body.
    if (!isUtf8(body)) {
      reservation.release()
      return refuse(400, 'the body is not UTF-8')
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    queue = queue
      .then(async () => void response.writeHead(await handle(headers, body.toString())).end())
      .catch(broken)
      // The body occupies memory until the webhook is processed, even if the sender has disconnected.
      .finally(() => reservation.release())
  }

  async function handle(headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    const { secret, tolerance } = options
    const checked = checkWebhook(body, headers, { secret, tolerance, now: context.host.now() })
    const verified = checked.signature === 'verified'
    if (checked.problem) {
      const status = options.respond ?? (verified || checked.signature === 'not checked' ? 400 : 401)
      await reportRefusal(status, checked.problem)
      return status
    }
    if (options.json) await printer.json({ ...(checked.event as object), verified })
    else await printer.line(describe(checked, headers[redeliveryHeader]))
    if (options.exec) await runProgram(context, options.exec, body)
    const forwarded = await forward?.(headers, body)
    return options.respond ?? forwarded ?? 200
  }

  const { host, port } = options
  const origin = await server.listenAt(host, port).catch((error) => {
    throw createListenError(error, host, port) ?? error
  })
  const url = `${origin}/`
  try {
    if (options.json) await printer.json({ event: 'ready', url } satisfies ListenLine)
    else await printer.notice(`listening on ${url}; press ^C to stop`)
    if (!isLoopback(new URL(url).hostname))
      await printer.notice(`warning: other machines can reach ${options.host}`)
    await Promise.race([failed, waitForInterrupt(context.interrupt)])
  } finally {
    server.close()
    server.closeAllConnections()
    await forward?.close()
  }
}

function describe({ event, at, signature }: WebhookVerdict, redelivery: string | undefined): string {
  const { action, payload } = event as { action: string; payload: Record<string, unknown> }
  const who = payload['userId'] ?? 'anonymous'
  const { sessionsCount, membersCount } = payload
  const counts = `${counted(Number(sessionsCount), 'session')}, ${counted(Number(membersCount), 'member')}`
  const signed = signature === 'verified' ? ', verified' : ''
  const again = redelivery === undefined ? '' : `, redelivery ${redelivery}`
  return `${payload['timestamp'] ?? at} ${action} room ${payload['roomId']} user ${who} (${counts}${signed}${again})`
}

async function openRefusals({ host, required }: ListenOptions) {
  const { refuseForeign } = await import('../../../embedded/http/same-origin.ts')
  const { refuseFraming } = await import('../../../embedded/http/framing.ts')
  return (request: IncomingMessage): readonly [status: number, reason: string] | undefined => {
    const foreign = refuseForeign(request, [host])
    if (foreign) return [403, foreign]
    const misframed = refuseFraming(request)
    if (misframed) return [400, misframed]
    if (request.method !== 'POST') return [405, `the method is ${request.method}, not POST`]
    const problem = findHeaderProblem(request, required)
    return problem === undefined ? undefined : [401, problem]
  }
}

/** Compares values in constant time, so that timings do not reveal them. */
function findHeaderProblem(
  { headers }: IncomingMessage,
  required: ListenOptions['required'],
): string | undefined {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  for (const [name, value] of Object.entries(required)) {
    const received = headers[name]
    if (received === undefined) return `the header ${name} is missing`
    if (!timingSafeEqual(hash(String(received)), hash(value))) return `the header ${name} is wrong`
  }
  return undefined
}

/** Creates a function that forwards a body unchanged. The function returns 502 without a response. */
async function openForward(context: Context, target: string) {
  const transport = await context.connect(target, context.host)
  const forward = async (headers: Readonly<Record<string, string>>, body: string): Promise<number> => {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !isConnectionHeader(name)))
    try {
      const deadline = AbortSignal.any([context.interrupt, AbortSignal.timeout(10_000)])
      return (await transport({ method: 'POST', url: target, headers: kept, body }, deadline)).status
    } catch (error) {
      await context.notice(`warning: ${target} cannot be reached: ${(error as Error).message}`)
      return 502
    }
  }
  return Object.assign(forward, { close: () => transport.close?.() })
}

function runProgram(context: Context, command: string, body: string): Promise<void> {
  const [program = '', ...words] = command.trim().split(/\s+/)
  return new Promise((done) => {
    const child = spawn(program, words, { stdio: ['pipe', 'inherit', 'inherit'], signal: context.interrupt })
    child.on('error', (error) => {
      if (context.interrupt.aborted) return done()
      void context
        .notice(`warning: ${program} cannot be started: ${describeSystemError(error, 'no such program')}`)
        .then(done)
    })
    child.on('close', (code) => {
      if (code) void context.notice(`warning: ${program} ended with exit code ${code}`)
      done()
    })
    // A program may close its input without reading the event.
    child.stdin.on('error', () => {})
    child.stdin.end(body)
  })
}
