import { omitUndefined } from '../../api/defined.ts'
import { endpoints, type Route } from '../../api/endpoints.ts'
import { counted } from '../../api/plural.ts'
import { type Client, createClient } from '../../client/client.ts'
import type { ServiceFacts } from '../../client/probe.ts'
import type { Settle } from '../../client/proof.ts'
import type { Pacer, Policy, Retry } from '../../client/retry.ts'
import { isBusy } from '../../client/retry-policy.ts'
import type { Remark } from '../../client/verdict.ts'
import type { Hint } from '../../errors.ts'
import { version } from '../../version.ts'
import type { Printer } from '../output/printer.ts'
import { maskText, redactResponses } from '../output/redaction/redaction.ts'
import { createSendCheck } from './before-send.ts'
import type { OpenTransport, RunningCommand } from './running-command.ts'

export interface ClientSetup {
  connections?: number
  /** Signal that replaces the signal of the command. */
  interrupt?: AbortSignal
  cancelUnsent?: AbortSignal
  serviceFacts?: ServiceFacts
  /** Returns the timeout of a request that starts now, in milliseconds. Replaces the setting. */
  timeoutMs?: () => number
  retries?: number
  /** Pace of a run. By default, each request is sent immediately and retried independently. */
  pacer?: Pacer
  onWrite?: (write: Promise<unknown>) => void
  /** Collects writes that need a proof. By default, each write is proved immediately. */
  settle?: Settle
  /** Returns the maximum number of concurrent reads that prove writes. */
  concurrency?: () => number
  /** Called before a retry. By default, a notice is printed. */
  onRetry?: Policy['onRetry']
  confirmed?: boolean
  /** True if GET requests are sent even with `--curl`. */
  lookup?: boolean
}

/** Service that a client opens when needed, because opening may start the embedded service. */
export interface Service {
  baseUrl: string
  dir?: string
  /** Advice on a refused key from the environment. */
  keyHint?: Hint | undefined
  open(connections?: number): Promise<{ transport: OpenTransport; apiKey: string }>
}

/** Creates every client, so that each request passes the send check. */
export async function openClient(
  context: RunningCommand,
  setup: ClientSetup,
  service: Service,
): Promise<Client> {
  const { host, flags, changes, redactKeys } = context
  const { timeout, retries } = await context.settings()
  const printer = await context.printer()
  const audit = await context.audit()
  const auditOrigin = () => service.dir ?? new URL(service.baseUrl).origin
  const client = createClient({
    baseUrl: service.baseUrl,
    open: async () => {
      const { transport, apiKey } = await service.open(setup.connections)
      context.addSecret(apiKey)
      context.closeLater(() => transport.close?.())
      return { transport: redactResponses(transport, redactKeys), apiKey }
    },
    beforeSend: await createSendCheck(context, service.baseUrl, setup),
    onRemark: createRemarkPrinter(printer, context, service),
    ...(audit ? { audit: (endpoint, input) => audit.trail(auditOrigin(), endpoint, input) } : {}),
    readList: (...args) => context.readList(...args),
    ...omitUndefined({ serviceFacts: setup.serviceFacts, onWrite: setup.onWrite }),
    ...omitUndefined({ settle: setup.settle, concurrency: setup.concurrency }),
    userAgent: `meetroom/${version} (node ${host.nodeVersion}; ${host.platform})`,
    keyHint: service.keyHint,
    interrupt: setup.interrupt ?? context.interrupt,
    ...omitUndefined({ cancelUnsent: setup.cancelUnsent }),
    policy: {
      get timeoutMs() {
        return setup.timeoutMs?.() ?? timeout.value * 1000
      },
      retries: setup.retries ?? retries.value,
      ...omitUndefined({ pacer: setup.pacer }),
      timing: host,
      onRetry: (retry) => {
        if (setup.serviceFacts && isBusy(retry.status)) setup.serviceFacts.isBusy = true
        if (setup.onRetry) setup.onRetry(retry)
        else void printer.notice(describeRetry(retry))
      },
      ...(flags.verbose && {
        onAttempt: ({ method, url }, result) => void printer.notice(maskText(`${method} ${url} → ${result}`)),
      }),
    },
  })
  const noteChange = <T>(route: Route, response: Promise<T>) =>
    route.method === 'GET'
      ? response
      : response.then((value) => {
          changes.addWrite(route)
          return value
        })
  const noting: Client = {
    ...client,
    call: (name, input) => noteChange(endpoints[name], client.call(name, input)),
    request: (route, ...rest) => noteChange(route, client.request(route, ...rest)),
  }
  if (!audit) return noting
  return {
    ...noting,
    call: async (name, input) => {
      const response = await noting.call(name, input)
      audit.noteMembers(input, response.value)
      return response
    },
    find: async (name, input) => {
      const response = await client.find(name, input)
      if (response) audit.noteMembers(input, response.value)
      return response
    },
  }
}

export function describeRetry({ reason, waitMs }: Retry): string {
  return `${reason}; retrying in ${(waitMs / 1000).toFixed(1)} s`
}

function createRemarkPrinter(
  printer: Printer,
  context: RunningCommand,
  { dir }: Service,
): (remark: Remark) => void {
  const counts = new Map<string, number>()
  return ({ about, text, isHidden = false }) => {
    // The embedded service applies all values that it accepts.
    if (isHidden && dir !== undefined) return
    const count = counts.get(about) ?? 0
    counts.set(about, count + 1)
    if (count === 0) void printer.notice(`warning: ${text}`)
    if (count === 1 && !isHidden)
      context.closeLater(async () => {
        const responses = counted((counts.get(about) ?? 0) - 1, 'more response')
        await printer.notice(`warning: the same problem in ${responses}: ${about}`)
      })
  }
}
