import { writeJson } from '../../../api/json.ts'
import { createWebhookHeaders } from '../../../api/signature.ts'
import type { WebhookAction } from '../../../api/vocabulary.ts'
import type { WireRequest, WireResponse } from '../../../api/wire.ts'
import { createSend } from '../../../client/retry.ts'
import { ApiError, ServiceError, UsageError } from '../../../errors.ts'
import { version } from '../../../version.ts'
import { parsePair } from '../../input/assignments.ts'
import { type BodyFlags, createBodyChange, readBody } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { visibleJson } from '../../output/terminal/visible.ts'
import { factRow } from '../../output/views/rows.ts'
import { readSecretHeaders } from './secret-headers.ts'
import { signingSecret } from './signing-secret.ts'

interface TriggerFlags extends BodyFlags {
  to: string
  room?: string
  user?: string
  secret?: string
  header?: string[]
}

/** Maximum length of the printed response, in UTF-16 units. */
const maxResponse = 1000

/**
 * @throws {UsageError} for invalid flags
 * @throws {ApiError | ServiceError} for a response other than 2xx
 * @throws {NetworkError | UnknownOutcomeError} without a response
 */
export async function triggerEvent(
  context: Context,
  action: WebhookAction,
  flags: TriggerFlags,
): Promise<void> {
  const { host } = context
  if (context.flags.curl)
    throw new UsageError(
      '--curl cannot be used with “webhooks trigger”, which sends no request to the service: pass --dry-run to show the webhook',
    )
  const secret = await signingSecret(flags.secret, host)
  context.addSecret(secret)
  const headers = await readSecretHeaders(context, '--header', flags.header)
  const { createIds } = await import('../../../embedded/common/ids.ts')
  const { newId } = createIds(host.now)
  const event = await buildEvent(context, action, flags, newId)
  const id = `msg_${newId()}`
  const body = writeJson(event)
  const sent = createWebhookHeaders({
    ...{ id, body, secret, headers, userAgent: `meetroom/${version}` },
    unixSeconds: Math.floor(host.now() / 1000),
  })
  const request: WireRequest = { method: 'POST', url: flags.to, headers: sent, body }
  // Omits user name, password and query, which may be secrets.
  const { origin, pathname } = new URL(flags.to)
  const signature = sent['webhook-signature'] ?? null
  const facts = { webhook_id: id, to: origin + pathname, sent: event, signature, status: 0, response: null }
  const printer = await context.printer()
  printer.check(factRow(facts, []), true)
  if (context.flags.dryRun) {
    const { formatShownRequest } = await import('../../requests/request.ts')
    const shown = formatShownRequest(request, false, context.redactKeys, printer.options)
    return printer.data(shown, visibleJson)
  }
  const response = await sendOnce(context, request)
  const { status } = response
  const isAccepted = status >= 200 && status < 300
  if (isAccepted) context.changes.add(['event', 'events'], 'sent')
  const text = context.redact(new TextDecoder().decode(response.body)).trim()
  const shown = text === '' ? null : text.slice(0, maxResponse).toWellFormed()
  await printer.printFacts({ ...facts, status, response: shown } satisfies Printed['webhooks trigger'])
  if (isAccepted) return
  if (status >= 500) throw new ServiceError(`the receiver failed (${status})`, { status })
  if (status >= 400) throw new ApiError(`the receiver refuses the webhook (${status})`, { status })
  throw new ServiceError(`the receiver responded with ${status}, which is not a success status`, { status })
}

/** Builds the body of an event (API specification, “Webhook”). `--data` replaces the default body. */
async function buildEvent(
  context: Context,
  action: WebhookAction,
  flags: TriggerFlags,
  newId: () => string,
): Promise<object> {
  const { room: roomId, user: userId, set = [] } = flags
  const count = action === 'sessionJoined' ? 1 : 0
  const payload = {
    roomId: newId(),
    ...(userId === undefined ? {} : { userId }),
    memberId: newId(),
    sessionId: newId(),
    sessionsCount: count,
    membersCount: count,
    timestamp: new Date(context.host.now()).toISOString(),
  }
  const given = {
    'the event': { action },
    '--room': { payload: { roomId } },
    '--user': { payload: { userId } },
  }
  const base = flags.data === undefined ? { action, payload } : await readBody(context, flags)
  const event = createBodyChange(flags, given)(base)
  const fields = [...Object.keys(payload), 'userId']
  for (const [key] of set.map((pair) => parsePair('--set', pair)))
    if (fields.includes(key))
      await context.notice(`--set ${key}: did you mean payload.${key}? The field is sent unchanged`)
  return event
}

/** Sends a request without retries, because the receiver may have processed the request. */
async function sendOnce(context: Context, request: WireRequest): Promise<WireResponse> {
  const { host, interrupt } = context
  const { timeout } = await context.settings()
  const transport = await context.connect(request.url, context.host)
  const policy = { timeoutMs: timeout.value * 1000, retries: 0, timing: host }
  try {
    return await createSend(transport, policy, { interrupt })(request, {
      repeatable: false,
      write: true,
      check: () =>
        'the receiver may have processed the event; check the receiver before you trigger the event again',
      line: { method: request.method, path: new URL(request.url).pathname },
    })
  } finally {
    await transport.close?.()
  }
}
