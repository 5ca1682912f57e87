import { omitUndefined } from '../../api/defined.ts'
import type { Transport } from '../../api/wire.ts'
import type { Remark } from '../../client/accepted.ts'
import { type Client, createClient } from '../../client/client.ts'
import type { ServiceFacts } from '../../client/probe.ts'
import type { Policy, Retry } from '../../client/retry.ts'
import type { Host } from '../../host.ts'
import { version } from '../../version.ts'
import type { Redact } from '../output/redaction/redact.ts'
import { redactResponses } from '../output/redaction/redact-responses.ts'
import { maskText } from '../output/redaction/secrets.ts'
import type { Audit } from './audit/audit.ts'
import { beforeSend, type SendFlags, type SendPolicy } from './before-send.ts'

export type OpenTransport = Transport & { close?(): Promise<void> | void }

/** Connects to a service over the network. Tests substitute the embedded service. */
export type Connect = (baseUrl: string, host: Host, connections?: number) => Promise<OpenTransport>

export interface ServiceDeps extends SendPolicy {
  host: Host
  flags: SendFlags & { verbose?: boolean }
  connect: Connect
  closeLater: (close: () => Promise<void> | void) => void
  key: () => Promise<string>
  keepSecret: (secret: string) => void
  redactKeys: Redact
  /** The audit log; undefined when auditing is off. */
  audit: Audit | undefined
}

export interface ClientSetup {
  connections?: number
  interrupt: AbortSignal
  cancelUnsent?: AbortSignal
  seen?: ServiceFacts
  /** Timeout of a call that starts now, in milliseconds; overrides the setting. */
  timeoutMs?: () => number
  /** Maximum number of retries; overrides the setting. */
  retries?: number
  /** Called before each retry, instead of a notice. */
  onRetry?: Policy['onRetry']
  /** True when the caller asks for confirmation. */
  confirmed?: boolean
  /** True when reads are sent even with `--curl`. */
  lookup?: boolean
}

/** A service. The first request opens it, because opening may start the workspace or a connection. */
export interface Service {
  baseUrl: string
  dir?: string
  open(connections?: number): Promise<{ transport: OpenTransport; apiKey: string }>
}

/** Creates a client. All clients are created here, so that every request passes `beforeSend`. */
export function openClient(deps: ServiceDeps, setup: ClientSetup, service: Service): Client {
  const { host, flags, settings, printer } = deps
  const { timeout, retries } = settings
  const { audit } = deps
  const auditOrigin = () => service.dir ?? new URL(service.baseUrl).origin
  const client = createClient({
    baseUrl: service.baseUrl,
    open: async () => {
      const { transport, apiKey } = await service.open(setup.connections)
      deps.keepSecret(apiKey)
      deps.closeLater(() => transport.close?.())
      return { transport: redactResponses(transport, deps.redactKeys), apiKey }
    },
    beforeSend: beforeSend(deps, service.baseUrl, setup),
    onRemark: createRemarkPrinter(deps),
    ...(audit ? { audit: (endpoint, input) => audit.trail(auditOrigin(), endpoint, input) } : {}),
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
      onRetry: setup.onRetry ?? ((retry) => void printer.notice(describeRetry(retry))),
    },
    ...(flags.verbose
      ? {
          onExchange: ({ method, url, status }) =>
            void printer.notice(maskText(`${method} ${url} → ${status}`)),
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

/** Formats the notice before a retry. */
export function describeRetry({ reason, waitMs }: Retry): string {
  return `${reason}; trying again in ${(waitMs / 1000).toFixed(1)} s`
}

/** Prints the first warning of each kind, and the number of the others when the command ends. */
function createRemarkPrinter({ printer, closeLater }: ServiceDeps): (remark: Remark) => void {
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
