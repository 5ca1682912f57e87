import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { errorCode, reasonFor } from '../../../client/http/failure.ts'
import { type HttpProxy, proxyFor } from '../../../client/http/proxy.ts'
import type { CheckResult } from './finding.ts'

/** First hop of a connection: the service or a proxy. */
export interface Target {
  service: URL
  proxy: HttpProxy | undefined
}

export function describeProxy({ proxy }: Target): CheckResult {
  return proxy ? proxy.name : 'none'
}

export function hintAtProxy({ proxy }: Target): string | undefined {
  return proxy && 'is HTTPS_PROXY right, with a user name and password if the proxy wants them?'
}

/** @throws {UsageError} if the environment holds an invalid proxy URL */
export function targetOf(
  service: URL,
  env: Readonly<Record<string, string | undefined>>,
  direct: boolean,
): Target {
  return { service, proxy: direct ? undefined : proxyFor(service.origin, env) }
}

const next = ({ service, proxy }: Target) => proxy?.url ?? service
const nameOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')
const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80))
const whose = ({ proxy }: Target) => (proxy ? 'the proxy' : 'the service')

export async function checkNames(target: Target): Promise<CheckResult> {
  const name = nameOf(next(target))
  if (isIP(name)) return `${name} is an address`
  try {
    const addresses = await lookup(name, { all: true })
    return `${name} is ${addresses.map(({ address }) => address).join(', ')}`
  } catch (error) {
    const hint = target.proxy
      ? 'is the name of the proxy right?'
      : 'is the base URL right? Is there a network?'
    return { wrong: `${name}: ${reasonFor(errorCode(error))}`, hint }
  }
}

export async function checkConnection(
  target: Target,
  signal: AbortSignal,
  now: () => number,
): Promise<CheckResult> {
  const to = next(target)
  const begun = now()
  try {
    const socket = await opened(to, signal)
    socket.destroy()
    return `connected to ${nameOf(to)} port ${portOf(to)} in ${Math.round(now() - begun)} ms`
  } catch (error) {
    signal.throwIfAborted()
    return {
      wrong: `${nameOf(to)} port ${portOf(to)}: ${reasonFor(errorCode(error))}`,
      hint: `does ${whose(target)} run there? Does a firewall let you through?`,
    }
  }
}

function opened(to: URL, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: nameOf(to), port: portOf(to), signal })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
}

/** Reports the issuer and expiry of the certificate. Untrusted certificates are read too, and nothing is sent. */
export async function checkTls(target: Target, signal: AbortSignal, today: number): Promise<CheckResult> {
  const { service, proxy } = target
  const socket = proxy ? await tunnel(proxy, service, signal) : undefined
  const { connect: secure } = await import('node:tls')
  const host = nameOf(service)
  const tls = secure({
    ...(socket ? { socket } : { host, port: portOf(service) }),
    ...(isIP(host) ? {} : { servername: host }),
    rejectUnauthorized: false,
  })
  const stop = () => tls.destroy()
  signal.addEventListener('abort', stop)
  try {
    await new Promise<void>((resolve, reject) => {
      tls.once('error', reject)
      tls.once('close', () => reject(Object.assign(new Error('closed'), { code: 'EPROTO' })))
      tls.once('secureConnect', () => resolve())
    })
    return trusted(tls, today)
  } catch (error) {
    signal.throwIfAborted()
    const wrong = reasonFor(errorCode(error))
    return { wrong, hint: 'does the base URL name the right port? Is something in between?' }
  } finally {
    signal.removeEventListener('abort', stop)
    tls.on('error', () => {})
    tls.destroy()
  }
}

async function tunnel(proxy: HttpProxy, { hostname, port }: URL, signal: AbortSignal): Promise<Socket> {
  const { openTunnel } = await import('../../../client/http/tunnel.ts')
  return openTunnel(proxy, `${hostname}:${port || 443}`, 5000, signal)
}

function trusted(tls: TLSSocket, today: number): CheckResult {
  const certificate: PeerCertificate = tls.getPeerCertificate()
  const days = Math.floor((Date.parse(certificate.valid_to) - today) / 86_400_000)
  const { O, CN } = certificate.issuer ?? {}
  const issuer = `issued by ${[O ?? CN ?? 'nobody known'].flat().join(' ')}`
  const left = days < 0 ? 'expired' : `${days} ${days === 1 ? 'day' : 'days'} left`
  if (tls.authorized) return `${tls.getProtocol()}, ${issuer}, ${left}`
  const why: unknown = tls.authorizationError
  const code = typeof why === 'string' ? why : errorCode(why)
  // Some reasons end with advice that the hint repeats.
  const [reason] = reasonFor(code).split(';')
  return { wrong: `${reason} (${issuer}, ${left})`, hint: hintAtTrust(code) }
}

function hintAtTrust(code: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'whoever runs the service must renew it, unless the clock of this machine is wrong'
    case 'CERT_NOT_YET_VALID':
      return 'is the clock of this machine right?'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'is the base URL right? Does something in between answer instead of the service?'
    default:
      return 'trust its authority with NODE_EXTRA_CA_CERTS=FILE, if you know whose it is'
  }
}
