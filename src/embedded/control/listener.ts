import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../../api/json.ts'
import { UsageError } from '../../errors.ts'
import { isAuthorized } from '../common/requests.ts'
import { formatTimestamp, isObject } from '../common/values.ts'
import { readBody } from '../http/body.ts'
import { refuseFraming } from '../http/framing.ts'
import { LimitedServer } from '../http/limited-server.ts'
import { refuseForeign } from '../http/same-origin.ts'
import type { ServiceControl } from './service-control.ts'

const maxBodyBytes = 64 * 1024 * 1024

export async function listenForControl(control: ServiceControl) {
  // The API key is not accepted.
  const key = `control_${randomBytes(24).toString('base64url')}`
  const expectedHeader = Buffer.from(`Bearer ${key}`)
  const server = new LimitedServer({}, (request, response) => {
    respond(control, expectedHeader, request).then(
      ({ status, body }) => send(response, status, body),
      () => response.destroy(),
    )
  })
  const url = await server.listenAt('127.0.0.1', 0)
  return {
    ...{ url, key },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface ControlResponse {
  status: number
  body: object
}

async function respond(
  control: ServiceControl,
  expectedHeader: Buffer,
  request: IncomingMessage,
): Promise<ControlResponse> {
  const { method, url = '', headers } = request
  // Web pages send an Origin with every POST.
  const foreign =
    headers.origin === undefined ? refuseForeign(request, []) : 'the Origin header is not allowed'
  if (foreign) return refuse(403, foreign)
  const framing = refuseFraming(request)
  if (framing) return refuse(400, framing)
  if (!isAuthorized(headers.authorization, expectedHeader))
    return refuse(401, 'the control key is missing or invalid')
  const action = Object.hasOwn(actions, url) ? actions[url] : undefined
  if (method !== 'POST' || !action) return refuse(404, 'no such action')
  const bytes = await readBody(request, maxBodyBytes)
  if (typeof bytes === 'string') return refuse(413, 'the body is too large')
  const text = bytes.toString('utf8')
  try {
    const input: unknown = parseJson(text === '' ? '{}' : text)
    return { status: 200, body: await action(control, input) }
  } catch (error) {
    if (error instanceof SyntaxError) return refuse(400, 'the body is not valid JSON')
    return refuse(error instanceof UsageError ? 400 : 500, (error as Error).message)
  }
}

type Action = (control: ServiceControl, input: unknown) => Promise<object>

const actions: Readonly<Record<string, Action>> = {
  async '/clock/advance'(control, input) {
    await control.advance(isObject(input) ? input['duration'] : undefined)
    return describeClock(control)
  },
  async '/clock/freeze'(control) {
    control.clock.freeze()
    return describeClock(control)
  },
  async '/clock/resume'(control) {
    control.clock.resume()
    return describeClock(control)
  },
  async '/fail'({ faults }, input) {
    faults.add(input)
    return { faults: faults.size }
  },
  async '/seed'(control, input) {
    await control.seed(input)
    return describeSeed(control)
  },
  async '/reset'(control) {
    const unmatched_faults = control.faults.listUnmatched()
    const unknown_operations = [...control.unknownOperations]
    await control.reset()
    return { ...describeSeed(control), unmatched_faults, unknown_operations }
  },
}

function describeClock({ clock }: ServiceControl) {
  return { now: formatTimestamp(clock.now()), is_frozen: clock.isFrozen }
}

function describeSeed({ seeded: { users, rooms } }: ServiceControl) {
  return { users: users.length, rooms: rooms.length }
}

const refuse = (status: number, message: string): ControlResponse => ({
  status,
  body: { error: { message } },
})

function send(response: ServerResponse, status: number, body: object): void {
  const isRefused = status !== 200
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    // The body of a refused request may be unread, so the connection is not reused.
    ...(isRefused && { connection: 'close' }),
  })
  response.end(`${JSON.stringify(body)}\n`)
}
