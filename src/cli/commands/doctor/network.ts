import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { describeReason, readErrorCode } from '../../../api/connection-failure.ts'
import { counted } from '../../../api/plural.ts'
import type { HttpProxy } from '../../../client/http/proxy.ts'
import type { CheckResult } from './finding.ts'

export interface ConnectionTarget {
  service: URL
  proxy: HttpProxy | undefined
}

const findNextHop = ({ service, proxy }: ConnectionTarget) => proxy?.url ?? service
const readHostName = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')
const readPort = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80))
const describeOwner = ({ proxy }: ConnectionTarget) => (proxy ? 'the proxy' : 'the service')

export async function checkNames(target: ConnectionTarget): Promise<CheckResult> {
  const name = readHostName(findNextHop(target))
  if (isIP(name)) return `${name} is an IP address`
  try {
    const addresses = await lookup(name, { all: true })
    return `${name} resolves to ${addresses.map(({ address }) => address).join(', ')}`
  } catch (error) {
    const hint = target.proxy ? 'check the name of the proxy' : 'check the base URL and the network'
    return { problem: `${name}: ${describeReason(readErrorCode(error))}`, hint }
  }
}

export async function checkConnection(
  target: ConnectionTarget,
  signal: AbortSignal,
  now: () => number,
): Promise<CheckResult> {
  const to = findNextHop(target)
  const begun = now()
  try {
    const socket = await opened(to, signal)
    socket.destroy()
    return `connected to ${readHostName(to)} port ${readPort(to)} in ${Math.round(now() - begun)} ms`
  } catch (error) {
    signal.throwIfAborted()
    return {
      problem: `${readHostName(to)} port ${readPort(to)}: ${describeReason(readErrorCode(error))}`,
      hint: `check whether ${describeOwner(target)} runs there, and whether a firewall rejects the connection`,
    }
  }
}

function opened(to: URL, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: readHostName(to), port: readPort(to), signal })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
}

/** Reports even an untrusted certificate. Sends no data after the handshake. */
export async function checkTls(
  target: ConnectionTarget,
  signal: AbortSignal,
  today: number,
): Promise<CheckResult> {
  const { service, proxy } = target
  const socket = proxy ? await tunnel(proxy, service, signal) : undefined
  const { connect: secure } = await import('node:tls')
  const host = readHostName(service)
  const tls = secure({
    ...(socket ? { socket } : { host, port: readPort(service) }),
    ...(isIP(host) ? {} : { servername: host }),
    rejectUnauthorized: false,
  })
  const stop = () => tls.destroy()
  signal.addEventListener('abort', stop)
  // The signal may have aborted before the listener was added.
  if (signal.aborted) stop()
  try {
    await new Promise<void>((resolve, reject) => {
      tls.once('error', reject)
      tls.once('close', () => reject(Object.assign(new Error('closed'), { code: 'EPROTO' })))
      tls.once('secureConnect', () => resolve())
    })
    return checkTrust(tls, today)
  } catch (error) {
    signal.throwIfAborted()
    const wrong = describeReason(readErrorCode(error))
    return {
      problem: wrong,
      hint: 'check the port of the base URL, and any proxy or firewall in between',
    }
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

function checkTrust(tls: TLSSocket, today: number): CheckResult {
  const certificate: PeerCertificate = tls.getPeerCertificate()
  const days = Math.floor((Date.parse(certificate.valid_to) - today) / 86_400_000)
  const { O, CN } = certificate.issuer ?? {}
  const issuer = `issued by ${[O ?? CN ?? 'an unknown authority'].flat().join(' ')}`
  const left = days < 0 ? 'expired' : `${counted(days, 'day')} left`
  if (tls.authorized) return `${tls.getProtocol()}, ${issuer}, ${left}`
  const why: unknown = tls.authorizationError
  const code = typeof why === 'string' ? why : readErrorCode(why)
  // Removes the advice of a reason, which would repeat the hint.
  const [reason] = describeReason(code).split(';')
  return { problem: `${reason} (${issuer}, ${left})`, hint: hintAtTrust(code) }
}

function hintAtTrust(code: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'the operator of the service must renew the certificate, unless the clock of this machine is wrong'
    case 'CERT_NOT_YET_VALID':
      return 'check the clock of this machine'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'check the base URL, and whether a proxy or firewall responds instead of the service'
    default:
      return 'if you trust the authority, point NODE_EXTRA_CA_CERTS at a file with its certificate'
  }
}
