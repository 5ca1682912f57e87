import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { WireRequest } from '../../src/api/wire.ts'
import { allCalls, stays } from '../helpers/calls.ts'
import { hostileId } from '../helpers/hostile.ts'
import { designed, stack } from '../helpers/terminal.ts'
import { answer, baseUrl, createWorld, type World } from '../helpers/world.ts'
import { counted, sized } from './size.ts'

// For any ID, a command sends only requests that it also sends for a harmless ID, apart from the ID.

const { add } = counted('hostile')

/** Words in calls that are IDs or stand for IDs. */
const idWords = new Set(['ROOM', 'MEMBER', 'ada', 'grace', 'new'])

/** Calls that take IDs. `args` contains the words from the first ID to the next flag. */
const calls = (await allCalls())
  .filter((call) => !stays.test(call) && !/^api\b/.test(call))
  .map((call) => {
    const words = call.split(' ')
    const first = words.findIndex((word) => idWords.has(word))
    const flagsAt = words.findIndex((word, i) => i > first && word.startsWith('-'))
    const end = flagsAt < 0 ? words.length : flagsAt
    const command = words.slice(0, first)
    const many = / (terminate|reopen|delete|block|unblock|export) /.test(call) && !call.includes('--where')
    // The room of an import is the value of a flag.
    const flag = command.at(-1)?.startsWith('--') ? command.pop() : undefined
    return {
      call,
      first,
      start: [...command, ...words.slice(end)],
      args: words.slice(first, end),
      many,
      flag,
    }
  })
  // A command over many rooms searches the members for the user, so that no request contains the ID.
  .filter(({ first, call }) => first >= 0 && !/--all-rooms|--where type=private --(user|as)/.test(call))

let world: World
beforeEach(async () => {
  world = await createWorld()
  writeFileSync(join(world.dir, 'members.csv'), 'user_id\ngrace\n')
})

/** Simulates a service that has every requested item, except for `users create` and imports. */
function answerAll(call: string): void {
  const thing = {
    id: 'r1',
    user_id: 'ada',
    name: 'n',
    type: 'private',
    is_blocked: false,
    terminated_at: null,
  }
  const lists = {
    ...{ rooms: [], members: [], users: [], sessions: [], pages: [thing] },
    paging: { total: 0, limit: 1, offset: 0 },
  }
  world.intercept = async ({ method, url }) => {
    const isLookup = method === 'GET'
    if (isLookup && /^users create|import/.test(call)) return answer(404, {})
    const id = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
    const item = isLookup ? { ...thing, id, user_id: id } : thing
    return answer(200, { room: item, member: item, user: item, message: 'm', session: item, ...lists })
  }
}

const harmless = 'harmless-1'
const MEETROOM_JOIN_URL = 'https://app.test/{room_id}#{access_token}'

/** Removes trailing carriage returns, as commands do for Windows files. */
const withoutReturn = (id: string) => id.replace(/\r+$/, '')

function partsOf({ method, url, body }: WireRequest): unknown {
  if (!url.startsWith(`${baseUrl}/`)) return `elsewhere: ${url}`
  const { href, hash, pathname, searchParams } = new URL(url)
  // A URL parser escapes an apostrophe in a query without changing its meaning.
  const plain = (text: string) => text.replaceAll('%27', "'")
  if (plain(href) !== plain(url) || hash !== '') return `not read as it is written: ${url} as ${href}`
  const path = pathname.split('/').map(decodeURIComponent)
  return [method, path, [...searchParams], body === undefined ? undefined : JSON.parse(body)]
}

/** Returns true if a request equals a request for the harmless ID, apart from the IDs. */
function isLike(usual: unknown, found: unknown, ids: ReadonlySet<unknown>): boolean {
  if (usual === harmless) return ids.has(found)
  if (typeof usual !== 'object' || usual === null) return usual === found
  if (typeof found !== 'object' || found === null) return false
  const names = Object.keys({ ...usual, ...found })
  return names.every((name) => isLike(Reflect.get(usual, name), Reflect.get(found, name), ids))
}

/** Runs a call with one ID, or a call for many items with all IDs. */
async function run({ call, start, args, many, flag }: (typeof calls)[number], ids: readonly string[]) {
  const [first = '', ...others] = ids
  // users hand-over and users merge refuse the same user twice.
  const isId = (word: string) => idWords.has(word) && !(word === 'grace' && /hand-over|merge/.test(call))
  const given = [...args.map((word) => (isId(word) ? first : word)), ...(many ? others : [])]
  world.requests.length = 0
  // --save requires a new file.
  rmSync(join(world.dir, 'saved.ndjson'), { force: true })
  const journal = start.includes('import') ? ['--no-journal'] : []
  const end = flag ? [`${flag}=${first}`, ...journal] : ['--', ...given]
  const { code, stderr } = await world.run([...start, '--yes', ...end], { env: { MEETROOM_JOIN_URL } })
  return { code, stderr, requests: world.requests.map(partsOf) }
}

describe.each(calls)('a hostile ID in $call', (call) => {
  test(`a hostile ID in ${call.call} is sent only in place of the ID`, async () => {
    answerAll(call.call)
    const usual = await run(call, [harmless])
    expect(JSON.stringify(usual.requests), usual.stderr).toContain(harmless)
    // Nine items need no --max.
    const batch = call.many ? 9 : 1
    const ids = fc.uniqueArray(hostileId, { minLength: batch, maxLength: batch })
    await fc.assert(
      fc.asyncProperty(ids, async (ids) => {
        const { code, requests, stderr } = await run(call, ids)
        const all = new Set(ids.map(withoutReturn))
        const others = requests.filter((found) => !usual.requests.some((one) => isLike(one, found, all)))
        expect(others).toEqual([])
        expect(designed).toContain(code)
        expect(stderr).not.toMatch(stack)
        add('ids', batch)
      }),
      { numRuns: Math.ceil(sized(3, 20_000) / batch) },
    )
  })
})

describe.each(calls.filter(({ call }) => call.includes('ROOM')))('a hostile name in $call', (call) => {
  test(`a hostile name in ${call.call} is sent only as a query parameter`, async () => {
    answerAll(call.call)
    const usual = await run(call, ['r1'])
    const answers = world.intercept
    let asked = ''
    world.intercept = async (request, next, signal) => {
      const { pathname, searchParams } = new URL(request.url)
      const isLookup = pathname.endsWith('/rooms') && searchParams.get('name') === asked
      return isLookup
        ? answer(200, { rooms: [{ id: 'r1', name: asked, type: 'private' }] })
        : (answers?.(request, next, signal) ?? next())
    }
    await fc.assert(
      fc.asyncProperty(hostileId, async (given) => {
        const name = withoutReturn(given)
        asked = name
        const named = { ...call, args: call.args.map((word) => (word === 'ROOM' ? `name:${given}` : word)) }
        const { code, requests, stderr } = await run(call.flag ? call : named, [
          call.flag ? `name:${given}` : 'r1',
        ])
        const lookup = [
          'GET',
          ['', 'v1', 'rooms'],
          [...new URLSearchParams({ name, limit: '10' })],
          undefined,
        ]
        // Commands refuse an empty name and invalid Unicode.
        const isRefused = name === '' || !name.isWellFormed()
        const [first, ...rest] = requests
        expect(first).toEqual(isRefused ? undefined : lookup)
        // The usual probe is missing, because the lookup has already identified the service.
        expect(usual.requests).toEqual(expect.arrayContaining(rest))
        expect(rest.length > 0).toBe(!isRefused)
        expect(designed).toContain(code)
        expect(stderr).not.toMatch(stack)
        add('ids')
      }),
      { numRuns: sized(2, 1000) },
    )
  })
})

test('meetroom api sends requests only to URLs under the base URL', async () => {
  world.intercept = async () => answer(200, {})
  await fc.assert(
    fc.asyncProperty(hostileId, fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'), async (id, method) => {
      world.requests.length = 0
      const { code } = await world.run(['api', method, '--yes', '--', `/${id}`])
      for (const { url } of world.requests) {
        const parsed = new URL(url)
        expect(parsed.href).toMatch(/^https:\/\/meet\.test\/v1\/(?!\/)/)
        expect(parsed.hash).toBe('')
      }
      expect(designed).toContain(code)
      add('ids')
    }),
    { numRuns: sized(20, 20_000) },
  )
})
