import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refuseForeign } from '../../src/embedded/http/same-origin.ts'
import { counted, share, sized } from './size.ts'
import { type Answers, type Change, requestGroups, type Target } from './websec/requests.ts'
import { type AttackTarget, converse, type GoodRequest, startTargets } from './websec/targets.ts'

const { add: count } = counted('websec')
const targets = startTargets()

const last = 'Connection: close'

function changed({ method, path, headers, body }: GoodRequest, change: Change): string {
  const crlf = change.lineEnd ?? '\r\n'
  const json = body === undefined ? [] : ['Content-Type: application/json']
  const length = body === undefined ? [] : ['Content-Length: {length}']
  const lines = [
    [change.method ?? method, change.target ?? '{path}', change.version ?? 'HTTP/1.1'].join(' ').trimEnd(),
    ...(change.host ?? ['Host: localhost']),
    ...headers,
    ...(change.type ?? json),
    ...(change.framing ?? length),
    ...(change.add ?? []),
  ]
  return `${change.before ?? ''}${lines.join(crlf)}${crlf}${crlf}${change.body ?? body ?? ''}`
    .replaceAll('{path}', path)
    .replaceAll('{body}', body ?? '')
    .replaceAll('{length}', String(body?.length ?? 0))
    .replaceAll('{hex}', (body?.length ?? 0).toString(16))
}

const encode = (text: string) => Buffer.from(text, /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8')

const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

async function attempt(
  tried: AttackTarget,
  change: Change,
  answers: Answers,
  closes: boolean,
): Promise<void> {
  // Asks to close the connection only if the response does not close it.
  const given = closes ? change : { ...change, add: [...(change.add ?? []), last] }
  const sent = [changed(tried.good(), given)]
  if (change.behind) sent.push(changed(tried.good(), { add: [last] }))
  const text = await converse(tried.origin, encode(sent.join('')))
  const good = await converse(tried.origin, encode(changed(tried.good(), { add: [last] })))

  const statuses = statusesOf(text)
  const isRefused = statuses.length === 0 || (statuses.length === 1 && /^[45]/.test(String(statuses[0])))
  expect(answers[0] === '4xx' && isRefused ? answers : statuses).toEqual(answers)
  expect(statusesOf(good)).toEqual([200])
  const wanted = answers.filter((status) => status === 200).length
  expect(await tried.newlyDone(text + good)).toBe(wanted + 1)
  if (wanted === 0) for (const secret of tried.secrets) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/access-control-allow/i)
}

const printable = (name: string) =>
  name.replace(/[^\x20-\x7e“”’]/g, (character) => JSON.stringify(character).slice(1, -1))

const words: Record<Target, string> = {
  serve: 'a write request to the service',
  reading: 'a read request to the service',
  listen: 'a request to webhooks listen',
}

for (const [row, { title, answers: usual, closes = true, vectors }] of requestGroups.entries())
  describe(title, () => {
    for (const [target, answers] of Object.entries(usual) as [Target, Answers][]) {
      // The targets share code, so a quick run uses fewer vectors for some targets.
      const isSame = target === 'reading' || (target === 'listen' && 'reading' in usual)
      const chosen = share(vectors, isSame ? 0 : row, isSame ? 20 : Math.min(2, vectors.length))
      describe(words[target], () => {
        for (const [name, change, other] of chosen)
          test(`${words[target]} gets the expected status (vector: ${printable(name)})`, async () => {
            count('vectors')
            await attempt(targets[target](), change, other?.[target] ?? answers, closes)
          })
      })
    }
  })

test('the table of the websec suite has more than 300 request vectors', () => {
  expect(requestGroups.flatMap(({ vectors }) => vectors).length).toBeGreaterThan(300)
})

/** Parts of valid and invalid hosts. */
const parts = [
  ...['localhost', '.localhost', '127.0.0.1', '127.', '[::1]', '[', ']', '::1', 'evil.test', 'a'],
  ...[
    '/',
    '\\',
    '#',
    '?',
    '@',
    ':',
    ':80',
    '.',
    ',',
    ';',
    ' ',
    '\t',
    '%',
    '%2f',
    '%00',
    '\0',
    '0x7f',
    '-',
    '_',
    '*',
    'ä',
  ],
]

test('refuseForeign accepts only Host headers of this machine', () => {
  let passed = 0
  const host = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 })
    .map((chosen) => chosen.join(''))
  fc.assert(
    fc.property(host, (text) => {
      count('hosts')
      const request = { headers: { host: text }, rawHeaders: ['Host', text], url: '/' }
      if (refuseForeign(request as unknown as IncomingMessage, []) !== undefined) return
      passed++
      // A URL with a number above 255 in an IP address cannot be parsed.
      const url = new URL(
        `http://${text.replace(/\d{3,}/g, (digits) => String(Math.min(Number(digits), 255)))}/v1`,
      )
      expect(url).toMatchObject({ username: '', password: '', pathname: '/v1', search: '', hash: '' })
      expect(url.hostname).toMatch(/^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/)
    }),
    { numRuns: sized(1000, 200_000) },
  )
  expect(passed).toBeGreaterThan(10)
})
