import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createPost, ForbiddenAddress } from '../../src/embedded/webhooks/post.ts'
import { serveWorkspace } from '../helpers/live.ts'
import { lookupIn } from '../helpers/lookup.ts'
import { startReceiver } from '../helpers/receiver.ts'
import { counted, sized } from './size.ts'
import { forbiddenAddresses, forbiddenNetworks, names } from './websec/addresses.ts'

const { add: count } = counted('websec')

function posting() {
  const { lookup, counts } = lookupIn(names)
  const post = createPost(false, lookup)
  onTestFinished(() => post.close())
  return Object.assign(post, { counts })
}

const isForbidden = (error: unknown) =>
  error instanceof ForbiddenAddress || (error as NodeJS.ErrnoException).code === 'EFORBIDDEN'

/** Starts a receiver that closes each connection, so that the next delivery looks the name up again. */
const hangUp = () =>
  startReceiver((_, response) => {
    response.setHeader('connection', 'close').end()
  })

describe.each(Object.entries(forbiddenAddresses))('a webhook to %s', (_, addresses) => {
  test.each(addresses)('a webhook POST to the forbidden IP address %s is rejected', async (address) => {
    count('vectors')
    for (const origin of [`http://${address}`, `https://${address}:8443`])
      await expect(posting()(`${origin}/`, {}, '{}')).rejects.toBeInstanceOf(ForbiddenAddress)
  })
})

test('a webhook POST to a forbidden IP address in a random notation is rejected', async () => {
  const post = posting()
  const number = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  const network = fc.constantFrom(...forbiddenNetworks)
  const runs = sized(200, 20_000)
  await fc.assert(
    fc.asyncProperty(network, number, fc.nat(notations.length - 1), async ([first, prefix], any, i) => {
      const mask = (2 ** (32 - prefix) - 1) >>> 0
      const address = ((toNumber(first) & ~mask) | (any & mask)) >>> 0
      const host = notations[i]?.(address) ?? ''
      await expect(post(`http://${host}/`, {}, '{}')).rejects.toBeInstanceOf(ForbiddenAddress)
      count('addresses')
    }),
    { numRuns: runs },
  )
})

const toNumber = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const octets = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255)
const words = (address: number) => `${(address >>> 16).toString(16)}:${(address & 65535).toString(16)}`
const octal = (part: number) => `0${part.toString(8)}`
const hex = (part: number) => `0x${part.toString(16)}`

const notations: readonly ((address: number) => string)[] = [
  (address) => octets(address).join('.'),
  (address) => String(address),
  (address) => hex(address),
  (address) => octal(address),
  (address) => octets(address).map(hex).join('.'),
  (address) => octets(address).map(octal).join('.'),
  (address) => `${octets(address)[0]}.${address & 0xffffff}`,
  (address) => `${hex(octets(address)[0] ?? 0)}.${octal(octets(address)[1] ?? 0)}.${address & 65535}`,
  (address) => `${octets(address).join('.')}.`,
  (address) => `[::ffff:${octets(address).join('.')}]`,
  (address) => `[::ffff:${words(address)}]`,
  (address) => `[0:0:0:0:0:FFFF:${words(address)}]`,
  (address) => `[::${words(address)}]`,
  (address) => `[64:ff9b::${words(address)}]`,
  (address) => `[2002:${words(address)}::]`,
]

describe('a webhook to the host name', () => {
  const inside = Object.keys(names).filter((name) => !/mixed|rebinding|alternating/.test(name))

  test.each(inside)(
    'a webhook POST to the host name %s with forbidden IP addresses is rejected',
    async (name) => {
      count('vectors')
      await expect(posting()(`http://${name}:9/`, {}, '{}')).rejects.toSatisfy(isForbidden)
    },
  )

  test('a webhook POST to a host name with loopback and private IP addresses succeeds', async () => {
    count('vectors')
    const { port, inbox } = await startReceiver()
    expect(await posting()(`http://mixed.test:${port}/`, {}, '{}')).toMatchObject({ status: 200 })
    expect(inbox.all).toHaveLength(1)
  })

  test('a webhook POST is rejected if its host name now resolves to a forbidden IP address', async () => {
    count('vectors')
    const { port, inbox } = await hangUp()
    const post = posting()
    expect(await post(`http://rebinding.test:${port}/`, {}, '{}')).toMatchObject({ status: 200 })
    await expect(post(`http://rebinding.test:${port}/`, {}, '{}')).rejects.toSatisfy(isForbidden)
    expect(inbox.all).toHaveLength(1)
  })

  test('each webhook POST connects to the checked IP address of one DNS lookup', async () => {
    count('vectors')
    const { port, inbox } = await hangUp()
    const post = posting()
    const outcomes = []
    for (let i = 0; i < 4; i++)
      outcomes.push(
        await post(`http://alternating.test:${port}/`, {}, '{}').then(
          ({ status }) => status,
          () => 'refused',
        ),
      )
    expect(outcomes).toEqual([200, 'refused', 200, 'refused'])
    expect(post.counts.get('alternating.test')).toBe(4)
    expect(inbox.all).toHaveLength(2)
  })

  test('a webhook POST to an unknown host name fails with ENOTFOUND', async () => {
    const posted = posting()('http://nowhere.test:9/', {}, '{}')
    await expect(posted).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })
})

describe('a redirect by a webhook receiver', () => {
  const places = [
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://metadata.test/',
    '//10.0.0.1/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/',
  ]
  const vectors = [301, 302, 303, 307, 308].flatMap((status) =>
    places.map((place) => [status, place] as const),
  )

  test.each(vectors)(
    'a webhook POST does not follow a redirect with the status %i to %s',
    async (status, location) => {
      count('vectors')
      const { url, inbox } = await startReceiver(
        (_, response) => void response.writeHead(status, { location }).end(),
      )
      const post = posting()
      expect(await post(url, {}, '{}')).toMatchObject({ status })
      expect(inbox.all).toHaveLength(1)
      expect(post.counts.size).toBe(0)
    },
  )
})

describe('custom webhook headers', () => {
  test.each([
    ['transfer-encoding', 'chunked'],
    ['content-length', '0'],
    ['content-length', '9999'],
    ['connection', 'close, upgrade'],
    ['upgrade', 'websocket'],
    ['expect', '100-continue'],
    ['keep-alive', 'timeout=1'],
    ['te', 'trailers'],
    ['trailer', 'x'],
    ['host', 'evil.test'],
  ])('a webhook POST with the custom header “%s: %s” sends at most one request', async (name, value) => {
    count('vectors')
    const { url, inbox } = await startReceiver()
    const { status } = await posting()(url, { [name]: value }, '{"a":1}').catch(() => ({
      status: undefined,
    }))
    expect(inbox.all.map(({ body }) => body)).toEqual(status === undefined ? [] : ['{"a":1}'])
    expect(inbox.all[0]?.headers['transfer-encoding']).toBeUndefined()
  })
})

describe('webhooks of the service', () => {
  async function deliver(url: string): Promise<string> {
    const served = await serveWorkspace(lookupIn(names))
    const room = await served.room({ webhook: { url } })
    const logged = vi.waitUntil(() => served.log.find((line) => line.startsWith('webhook ')), {
      timeout: 10_000,
    })
    await served.join(room)
    return (await logged) ?? ''
  }

  test.each([
    'http://169.254.169.254/',
    'http://0xa000001/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://metadata.test/',
    'http://user:password@10.0.0.1/',
  ])('the service logs a webhook to %s as forbidden', async (url) => {
    count('vectors')
    const line = await deliver(url)
    expect(line).toMatch(/ forbidden$/)
    expect(line).not.toContain('password')
  })

  test('the service sends a webhook to a receiver on this machine', async () => {
    const { url, inbox } = await startReceiver()
    expect(await deliver(url)).toMatch(/ 200$/)
    expect(inbox.all).toHaveLength(1)
  })

  test('the service sends no request to the URLs of user profiles and page images', async () => {
    count('vectors', 2)
    const { url, inbox } = await startReceiver()
    const served = await serveWorkspace()
    const room = await served.room()
    await served.user('ada', { profile_url: `${url}/profile.png` })
    await served.ask('POST', `/rooms/${room}/pages/create_many`, [
      { entities: [{ type: 'Image', src: `${url}/image.png` }] },
    ])
    const peer = await served.join(room)
    await served.advance(60_000)
    await peer.leave()
    await served.stop()
    expect(inbox.all).toEqual([])
  })
})
