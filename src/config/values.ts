import { isAbsolute, normalize } from 'node:path'
import { findClosest } from '../api/closest.ts'
import { formatChoices } from '../api/either.ts'
import { isLoopback } from '../api/loopback.ts'
import { parseDuration } from '../duration.ts'
import { UsageError } from '../errors.ts'

export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'ids'] as const
export type Format = (typeof formats)[number]

/** @throws {UsageError} unless the text is an http(s) URL without credentials, query and fragment */
export function parseBaseUrl(text: string): string {
  const hint = 'a base URL has the form https://meet.example.com/v1'
  const near = findNearBaseUrl(text)
  const details = { hint, ...(near !== undefined && { correction: [text, near] as const }) }
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    throw new UsageError('the base URL is not a valid URL', details)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new UsageError(`the base URL must begin with https:// or http://, not “${url.protocol}”`, details)
  // The message does not quote the URL, because its password may be the key.
  if (url.username || url.password)
    throw new UsageError('the base URL must not contain a user name or password', { hint })
  if (url.search || url.hash)
    throw new UsageError('the base URL must not have a query or a fragment', { hint })
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** Completes a host to a base URL, unless the text may contain credentials. */
function findNearBaseUrl(text: string): string | undefined {
  const [, host = '', path = ''] =
    /^((?:localhost|127\.0\.0\.1|[\w.-]+\.[a-z]{2,})(?::\d+)?)(\/[\w./-]*)?$/i.exec(text) ?? []
  if (host === '') return undefined
  const scheme = /^(localhost|127\.0\.0\.1)(:|$)/i.test(host) ? 'http' : 'https'
  return `${scheme}://${host}${path === '' || path === '/' ? '/v1' : path}`
}

export function isJson(format: string | undefined): boolean {
  return format === 'json' || format === 'ndjson'
}

export function parseFormat(text: string): Format {
  const format = formats.find((name) => name === text)
  if (!format) {
    const near = findClosest(text, formats)
    throw new UsageError(`the output format must be ${formatChoices(formats)}, not “${text}”`, {
      correction: near === undefined ? undefined : [text, near],
    })
  }
  return format
}

/** Maximum timeout, in milliseconds. Node fires timers of more than 2³¹ − 1 milliseconds immediately. */
export const maxTimeoutMs = 86_400_000

/**
 * @returns seconds
 * @throws {UsageError} for an invalid duration, for 0, or for more than `maxTimeoutMs`
 */
export function parseTimeout(text: string): number {
  return parseDuration(text, { most: maxTimeoutMs }, 'the timeout') / 1000
}

export function parseRetries(text: string): number {
  if (!/^\d{1,2}$/.test(text) || Number(text) > 20)
    throw new UsageError(`the number of retries must be a whole number from 0 to 20, not “${text}”`)
  return Number(text)
}

export const parseAuditLog = (text: string) => requireAbsolute('audit_log', text, '/var/log/audit.log')

export const parseDirectory = (text: string) =>
  normalize(requireAbsolute('save_deleted', text, '/var/backups/meetroom'))

function requireAbsolute(setting: string, text: string, example: string): string {
  if (isAbsolute(text)) return text
  throw new UsageError(`${setting} must be absolute, not “${text}”`, {
    hint: `pass an absolute path, as in ${example}`,
  })
}

export function parseTimeZone(text: string): string {
  const name = /^[a-z]/i.test(text) ? findTimeZone(text) : undefined
  if (name !== undefined) return name
  const city = text.trim().replaceAll(' ', '_').toLowerCase()
  const zones = Intl.supportedValuesOf('timeZone')
  const [, sign, hours] = /^(?:utc|gmt)?([+-])0?(\d|1[0-4])(?::?00)?$/i.exec(text.trim()) ?? []
  const near =
    zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ??
    // Names such as Etc/GMT-2 have the opposite sign: that zone is UTC+2.
    (hours === undefined ? undefined : `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`) ??
    findClosest(text, zones)
  throw new UsageError(
    `the time zone must be an IANA name such as Europe/Berlin, or utc, not “${text}”`,
    near === undefined ? {} : { correction: [text, near] },
  )
}

function findTimeZone(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    // ICU names some zones by a former name: Asia/Calcutta for Asia/Kolkata.
    return timeZone.toLowerCase() === text.toLowerCase() || timeZone === 'UTC' ? timeZone : text
  } catch {
    return undefined
  }
}

export function isClear(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url.hostname)
}
