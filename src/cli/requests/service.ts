import { omitUndefined } from '../../api/defined.ts'
import type { Transport } from '../../api/wire.ts'
import type { Remark } from '../../client/accepted.ts'
import { type Client, createClient } from '../../client/client.ts'
import type { ServiceFacts } from '../../client/probe.ts'
import type { Policy, Retry } from '../../client/retry.ts'
import type { Host } from '../../host.ts'
import { version } from '../../version.ts'
import type { Redact } from '../output/redaction/redact.ts'
import { maskedText } from '../output/redaction/secrets.ts'
import { withoutKeys } from '../output/redaction/without-keys.ts'
import type { Audit } from './audit/audit.ts'
import { beforeSend, type SendFlags, type SendPolicy } from './before-send.ts'

/** A transport that may hold something open. */
export type OpenTransport = Transport & { close?(): Promise<void> | void }

/** How the program reaches a service over the network. Tests put the embedded service here. */
export type Connect = (baseUrl: string, host: Host, connections?: number) => Promise<OpenTransport>

/** What a service is opened with. */
export interface ServiceDeps extends SendPolicy {
  host: Host
  flags: SendFlags & { verbose?: boolean }
  connect: Connect
  /** Keeps something to be closed when the command ends. */
  closeLater: (close: () => Promise<void> | void) => void
  /** The key that may be sent to the service. */
  key: () => Promise<string>
  /** Takes note of what must never be shown. */
  keepSecret: (secret: string) => void
  redactKeys: Redact
  /** Puts a change on record; undefined where there is no audit log. */
  audit: Audit | undefined
}

/** What a client does differently from the default. */
export interface ClientSetup {
  /** Maximum number of connections. */
  connections?: number
  /** Aborts what is under way. */
  interrupt: AbortSignal
  /** Aborted: what has not been sent is not sent any more. */
  cancelUnsent?: AbortSignal
  /** What other clients of the run have found out about the service. */
  seen?: ServiceFacts
  /** Deadline of a call that begins now, in milliseconds, instead of the one in the settings. */
  timeoutMs?: () => number
  /** Maximum number of retries of a failed call, instead of the one in the settings. */
  retries?: number
  /** Told before each repetition, instead of the user. */
  onRetry?: Policy['onRetry']
  /** The caller asks for confirmation itself, where it is needed. */
  confirmed?: boolean
  /** Reads are sent, with `--curl` too. */
  lookup?: boolean
}

/** A service to talk to. Opening it may open the workspace or a connection, so it is left to the first request. */
export interface Service {
  baseUrl: string
  /** Folder of the local workspace. */
  dir?: string
  open(connections?: number): Promise<{ transport: OpenTransport; apiKey: string }>
}

/**
 * The only place that makes a client, so that every request of every command passes `beforeSend`.
 * @param service where the requests go
 */
export function openClient(around: ServiceDeps, setup: ClientSetup, service: Service): Client {
  const { host, flags, settings, printer } = around
  const { timeout, retries } = settings
  const { audit } = around
  const place = () => service.dir ?? new URL(service.baseUrl).origin
  const client = createClient({
    baseUrl: service.baseUrl,
    open: async () => {
      const { transport, apiKey } = await service.open(setup.connections)
      around.keepSecret(apiKey)
      around.closeLater(() => transport.close?.())
      return { transport: withoutKeys(transport, around.redactKeys), apiKey }
    },
    beforeSend: beforeSend(around, service.baseUrl, setup),
    onRemark: tellRemarks(around),
    ...(audit ? { audit: (endpoint, input) => audit.trail(place(), endpoint, input) } : {}),
    ...omitUndefined({ seen: setup.seen }),
    userAgent: `meetroom/${version} (node ${host.nodeVersion}; ${host.platform})`,
    interrupt: setup.interrupt,
    ...omitUndefined({ cancelUnsent: setup.cancelUnsent }),
    policy: {
      get timeoutMs() {
        return setup.timeoutMs?.() ?? timeout.value * 1000
      },
      retries: setup.retries ?? retries.value,
      timing: host,
      onRetry: setup.onRetry ?? ((retry) => void printer.notice(retryWords(retry))),
    },
    ...(flags.verbose
      ? {
          onExchange: ({ method, url, status }) =>
            void printer.notice(maskedText(`${method} ${url} → ${status}`)),
        }
      : {}),
  })
  if (!audit) return client
  return {
    ...client,
    call: async (name, input) => {
      const answer = await client.call(name, input)
      audit.seen(input, answer.value)
      return answer
    },
  }
}

/** What is about to be tried again, for people. */
export function retryWords({ reason, waitMs }: Retry): string {
  return `${reason}; trying again in ${(waitMs / 1000).toFixed(1)} s`
}

/** Prints the first remark about each thing, and at the end of the run how many more there were. */
function tellRemarks({ printer, closeLater }: ServiceDeps): (remark: Remark) => void {
  const counts = new Map<string, number>()
  return ({ about, text }) => {
    const count = counts.get(about) ?? 0
    counts.set(about, count + 1)
    if (count === 0) void printer.notice(`warning: ${text}`)
    if (count === 1)
      closeLater(async () => {
        const more = (counts.get(about) ?? 0) - 1
        const times = more === 1 ? '1 more response' : `${more} more responses`
        await printer.notice(`warning: the same in ${times}: ${about}`)
      })
  }
}
