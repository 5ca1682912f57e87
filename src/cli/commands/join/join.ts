import { ReconnectPauses } from '../../../api/backoff.ts'
import type { Route } from '../../../api/endpoints.ts'
import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { isLoopback } from '../../../api/loopback.ts'
import { fillPath, formatQueryString } from '../../../api/path.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import { toText } from '../../../api/to-text.ts'
import type { ConnectionCheck } from '../../../api/wire.ts'
import {
  ApiError,
  AuthError,
  type Hint,
  type MeetroomError,
  NetworkError,
  NotFoundError,
  ServiceError,
  suggest,
  UsageError,
} from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument, UserOption, userArgumentText } from '../../names/arguments.ts'
import { createRedactor } from '../../output/redaction/redaction.ts'
import { createServerCheck, findOrigin, findPersistentBaseUrl } from '../../requests/find-service.ts'
import { connectToRoom, type RoomClosed } from './room-socket.ts'

interface Flags {
  as?: string
  token?: string
}

export function defineJoin(join: MeetroomCommand): void {
  join
    .description('Join a room from the terminal, and print messages until ^C.')
    .addArgument(new RoomArgument())
    .addOption(new UserOption('--as <user>', `join with the access token of this user: ${userArgumentText}`))
    .option(
      '--token <token>',
      'join with this access token; prefer --as, because other accounts of this machine can see arguments',
    )
    .act('joins', (context, room: string, flags: Flags) => run(context, room, flags))
  join.addExamples(
    'meetroom join 66f1a2b3c4d5e6f708192a3b --as ada',
    'meetroom join 66f1a2b3c4d5e6f708192a3b --query message -o tsv',
  )
}

/** The audit log records joining as a change, because other participants see the session. */
const joining: Route = {
  id: 'rooms.join',
  summary: 'Join a room',
  method: 'GET',
  path: '/rooms/{id}/connect',
}

async function run(context: Context, room: string, flags: Flags): Promise<void> {
  if (flags.as !== undefined && flags.token !== undefined) throw createFlagConflict('--as', '--token')
  const access_token = flags.as === undefined ? flags.token : await readToken(context, flags.as)
  const baseUrl = await findPersistentBaseUrl(context)
  const url = baseUrl + fillPath(joining.path, { id: room })
  await requireDirect(context, url)
  const isTrusted = await createServerCheck(context, baseUrl)
  const trail = (await context.audit())?.trail(await findOrigin(context), joining, { params: { id: room } })
  await trail?.begin({ method: joining.method, url })
  let hasJoined = false
  const recordJoined = () => {
    if (!hasJoined) trail?.recordSuccess(undefined)
    hasJoined = true
  }
  try {
    await stayConnected(context, room, { url, isTrusted, recordJoined }, access_token)
    recordJoined()
  } catch (cause) {
    if (!hasJoined) trail?.recordFailure(cause)
    throw cause
  }
}

async function requireDirect({ host }: Context, url: string): Promise<void> {
  const { selectProxy } = await import('../../../client/http/proxy.ts')
  const { origin, hostname } = new URL(url)
  if (isLoopback(hostname) || !selectProxy(origin, host.env)) return
  throw new UsageError('join does not connect through a proxy', {
    hint: `to connect directly, run this command first: export NO_PROXY=${quoteForShell(hostname)}`,
  })
}

async function stayConnected(
  context: Context,
  room: string,
  place: { url: string; isTrusted: ConnectionCheck | undefined; recordJoined: () => void },
  access_token: string | undefined,
): Promise<void> {
  const { host, interrupt } = context
  const printer = await context.printer()
  const json = printer.printsJson
  const { isTrusted, recordJoined } = place
  const url = `${place.url.replace(/^http/, 'ws')}${formatQueryString({ access_token })}`

  const show = async (frame: Record<string, unknown>) => {
    if (json) return printer.json(frame)
    if (frame['event'] === 'message') return printer.line(toText(frame['message']))
    if (frame['event'] === 'joined') return printer.notice(`joined room ${room}; press ^C to leave`)
  }
  // A service may include the refused token in an error.
  const redact = createRedactor([access_token ?? ''], '[access token]')
  const { retries, timeout } = await context.settings()
  const timeoutMs = timeout.value * 1000
  // One timeout covers all attempts to join, like all retries of a request.
  const deadline = host.monotonic() + timeoutMs
  const pauses = new ReconnectPauses(() => host.random())
  let joined = false
  for (let attempt = 0; ; attempt++) {
    let joinedAt: number | undefined
    const remainingMs = joined ? timeoutMs : deadline - host.monotonic()
    const options = { interrupt, isTrusted, timeoutMs, remainingMs }
    const closed = await connectToRoom(url, host, options, async (frame) => {
      joined = true
      recordJoined()
      joinedAt ??= host.monotonic()
      await show(frame)
    })
    const ended = { ...closed, reason: redact(closed.reason) }
    if (interrupt.aborted) break
    const now = host.monotonic()
    const pause = pauses.next(now - (joinedAt ?? now))
    if (!ended.canRetry || (!joined && (attempt >= retries.value || now + pause >= deadline))) {
      if (ended.isFinal || (joined && ended.code === 'terminated')) return printer.notice(ended.reason)
      throw toError(ended, room, access_token === undefined)
    }
    await printer.notice(`${ended.reason}; retrying in ${(pause / 1000).toFixed(1)} s`)
    await host.sleep(pause, interrupt).catch(() => {})
    if (interrupt.aborted) break
  }
  // After the first frame, ^C ends the command with success.
  if (!joined) throw interrupt.reason
  await printer.notice('left')
}

async function readToken(context: Context, user_id: string): Promise<string> {
  const { value } = await (await context.client()).call('getUser', { params: { user_id } })
  const { access_token: token } = value.user
  if (!token || typeof token === 'object')
    throw new UsageError(`the service does not show the access token of user ${user_id}`, {
      hint: 'pass an access token with --token',
    })
  return String(token)
}

function toError({ reason, code, status }: RoomClosed, room: string, isAnonymous: boolean): MeetroomError {
  if (status === undefined && code === undefined) return new NetworkError(reason, { retryable: true })
  const kinds = new Map<unknown, new (message: string, details: object) => MeetroomError>([
    ['unauthorized', AuthError],
    ['not_found', NotFoundError],
  ])
  const isRefusal = status === undefined || (status >= 400 && status < 500)
  const Kind = kinds.get(code) ?? (isRefusal ? ApiError : ServiceError)
  const request = { method: joining.method, path: fillPath(joining.path, { id: room }) }
  const hint: Hint | undefined =
    reason === 'the room is terminated'
      ? ['reopen the room with: ', suggest(['rooms', 'reopen', room])]
      : isAnonymous && code === 'unauthorized'
        ? 'pass a user who can join, as in --as ada'
        : undefined
  const message = reason === 'blocked' ? 'you are blocked in this room' : `cannot join: ${reason}`
  return new Kind(message, { status, request, hint })
}
