import { UsageError } from '../../errors.ts'

export type HttpProxy = NonNullable<ReturnType<typeof selectProxy>>

type Env = Readonly<Record<string, string | undefined>>

/** @throws {UsageError} if the proxy URL in the environment is invalid */
export function selectProxy(origin: string, env: Env) {
  const url = new URL(origin)
  const proxy = (url.protocol === 'https:' && readProxy('HTTPS_PROXY', env)) || readProxy('HTTP_PROXY', env)
  return proxy && !isExempt(url, env['no_proxy'] ?? env['NO_PROXY'] ?? '') ? proxy : undefined
}

function readProxy(name: string, env: Env) {
  const text = env[name.toLowerCase()] || env[name] || ''
  if (text === '') return undefined
  try {
    // The default scheme is http, as in curl.
    const url = new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`)
    if (url.protocol === 'http:' || url.protocol === 'https:')
      return { url, name: url.host, headers: encodeCredentials(url) }
  } catch {}
  // The message does not quote the URL, because the URL may contain a password.
  throw new UsageError(`${name} is not the URL of an HTTP proxy`, {
    hint: 'a proxy URL has the form http://proxy.example.com:3128',
  })
}

function encodeCredentials({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` }
}

/** Matches `*`, the host or a parent domain, with an optional port. */
function isExempt({ protocol, hostname, port }: URL, noProxy: string): boolean {
  const to = port || (protocol === 'https:' ? '443' : '80')
  const entries = noProxy
    .toLowerCase()
    .split(/[,\s]+/)
    .filter(Boolean)
  return entries.some((entry) => {
    const [, name = '', only = to] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? []
    const matches = name === '*' || hostname === name || hostname.endsWith(`.${name}`)
    return (matches && only === to) || hostname === `[${entry}]`
  })
}
