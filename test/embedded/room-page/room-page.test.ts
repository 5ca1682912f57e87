import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type BrowserPage, browser } from '../../helpers/browser.ts'
import { relayTo } from '../../helpers/live.ts'
import { roomPages } from '../../helpers/room-page.ts'
import { notice } from '../../suites/size.ts'

if (browser === undefined) notice('room page', 'its tests are skipped: there is no browser')

const people = (page: BrowserPage): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('#people li')].map((item) => item.innerText.replace(/\\s+/g, ' '))`,
  )

async function createLesson(fields: object = {}) {
  const served = await roomPages()
  await served.user('ada', 'Ada Lovelace')
  await served.user('grace', 'Grace Hopper')
  await served.user('alan', 'Alan Turing')
  const members = [
    { user_id: 'ada', type: 'host' },
    { user_id: 'grace', type: 'guest' },
    { user_id: 'alan', type: 'monitor' },
  ]
  return { ...served, room: await served.room({ members, ...fields }) }
}

describe.skipIf(browser === undefined)('the room page in a browser', { timeout: 60_000 }, () => {
  test('the room page in a browser shows the contents of the room and a notice after a member is blocked', async () => {
    const { room, enter, say, ask, block } = await createLesson()
    const ada = await enter(room, 'ada')
    await ada.shows('Connected as Ada Lovelace')
    expect(await ada.evaluate('document.title')).toBe('Weekly sync')
    expect(await people(ada)).toEqual(['Ada Lovelace host you'])
    expect(await ada.text('#clock')).toBe(
      'Meeting time\n0:00\nRuns while two or more guests or hosts are here',
    )
    expect(await ada.text()).toContain('Messages to this room appear here.')

    const grace = await enter(room, 'grace')
    await ada.shows('Grace Hopper')
    await grace.shows('Connected as Grace Hopper')
    expect(await people(grace)).toEqual(['Ada Lovelace host', 'Grace Hopper guest you'])
    await ada.until(`document.querySelector('#clock-time').innerText !== '0:00'`)
    const alan = await enter(room, 'alan')
    await alan.shows('Connected as Alan Turing, watching')
    await ada.shows('(3)', '#count')

    await say(room, 'Hello, <b>everybody</b>')
    for (const page of [ada, grace, alan]) await page.shows('Hello, <b>everybody</b>', '#messages')
    expect(await ada.text()).not.toContain('Messages to this room')

    const images = ['a', 'b'].map((name) => ({ type: 'Image', src: `https://127.0.0.1:1/${name}.png` }))
    await ask('POST', `/rooms/${room}/pages/create_many`, [{ entities: images }, { entities: [] }])
    await grace.shows('Page 1 of 2')
    await grace.shows('Page 1, image 2 of 2 cannot be shown: https://127.0.0.1:1/b.png')

    await ask('PUT', `/rooms/${room}`, { name: 'Renamed' })
    await ada.shows('Renamed', 'h1')

    await block(room, 'grace', true)
    await grace.shows('You are blocked in this room')
    expect(await grace.text()).not.toContain('Messages')
    await ada.until(`!document.querySelector('#people').innerText.includes('Grace')`)
    await block(room, 'grace', false)
    await grace.evaluate(`document.querySelector('#again').click()`)
    await grace.shows('Connected as Grace Hopper')
    for (const page of [ada, alan]) expect(page.problems.filter((text) => !/ERR_/.test(text))).toEqual([])
  })

  test('the room page in a browser shows the remaining time and the end of the meeting', async () => {
    const { room, enter, ask } = await createLesson({ max_meeting_seconds: 2 })
    const ada = await enter(room, 'ada')
    await ada.shows('Time left\n0:02', '#clock')
    const grace = await enter(room, 'grace')
    await grace.shows('The meeting has ended')
    await ada.shows('The room is terminated.')
    expect(await ada.evaluate(`document.activeElement.id`)).toBe('ended')
    // The clock changes once per second, and must stay hidden.
    await ada.evaluate('new Promise((resolve) => setTimeout(resolve, 1100))')
    expect(await ada.text()).not.toContain('Time left')
    await ask('PUT', `/rooms/${room}`, { is_terminated: false })
    await ada.evaluate(`document.querySelector('#again').click()`)
    await ada.shows('Connected as Ada Lovelace')
  })

  test('the room page in a browser omits the token from the address bar, request URLs and headers', async () => {
    const { room, enter, tokens, log } = await createLesson()
    const ada = await enter(room, 'ada')
    await ada.shows('Connected as')
    const url = await ada.evaluate('location.href')
    expect(url).toMatch(/\/rooms\/\w+$/)
    expect(await ada.evaluate('document.referrer')).toBe('')
    const token = tokens['ada'] ?? ''
    expect(ada.requests.length).toBeGreaterThan(3)
    for (const request of ada.requests) {
      expect(request.url).not.toContain(token)
      expect(Object.values(request.headers).join()).not.toContain(token)
    }
    expect(log.join()).not.toContain(token)
    // The tab stores the token for reloads.
    await ada.reload()
    await ada.shows('Connected as Ada Lovelace')
  })

  test('the room page in a browser reconnects after the connection is lost', async () => {
    const { room, baseUrl, newPage, linkTo, say } = await createLesson()
    const relay = await relayTo(baseUrl)
    const ada = await newPage()
    await ada.open(linkTo(room, 'ada', new URL(relay.baseUrl).origin))
    await ada.shows('Connected as Ada Lovelace')
    await ada.evaluate(`(() => {
      window.seen = []
      new MutationObserver(() => seen.push(document.querySelector('#status').textContent))
        .observe(document.querySelector('#status'), { childList: true })
    })()`)
    relay.cut()
    await ada.until(`seen.at(-1) === 'Connected as Ada Lovelace'`)
    expect((await ada.evaluate('seen'))[0]).toMatch(/^Connection lost. Reconnecting in 1 s$/)
    await say(room, 'Still here?')
    await ada.shows('Still here?')
    expect(await people(ada)).toHaveLength(1)
  })

  test('the room page in a browser shows the reason why a user cannot join', async () => {
    const { room, enter, user, ask } = await createLesson()
    await user('eve', 'Eve')
    const cases = [
      [await enter(room), 'This room needs the access token of a user.'],
      [await enter(room, 'eve'), 'Only invited users can join this room.'],
      [await enter('000000000000000000000000', 'ada'), 'No such room.'],
    ] as const
    for (const [page, reason] of cases) {
      await page.shows('You cannot join this room')
      await page.shows(reason)
    }
    await ask('PUT', `/rooms/${room}`, { is_terminated: true })
    await (await enter(room, 'ada')).shows('The meeting has ended')
  })

  test('the room page in a browser admits a participant without a token to an open room', async () => {
    const { enter, room } = await roomPages()
    const id = await room({ type: 'open' })
    const guest = await enter(id)
    await guest.shows('Connected as an anonymous participant')
    expect(await people(guest)).toEqual(['Guest guest you'])
  })

  test('the room page in a browser supports keyboards and screen readers', async () => {
    const { room, enter, ask, origin } = await createLesson()
    const entities = [{ type: 'Image', src: `${origin}/room-page/icon.svg` }]
    await ask('POST', `/rooms/${room}/pages/create_many`, [{ entities }, { entities }, { entities }])
    const ada = await enter(room, 'ada')
    await ada.shows('Page 1 of 3')
    const focused = () => ada.evaluate(`document.activeElement.id || document.activeElement.tagName`)
    await ada.press('Tab')
    expect(await focused()).toBe('page')
    await ada.press('ArrowRight')
    await ada.shows('Page 2 of 3')
    await ada.press('Tab')
    await ada.press('Tab')
    expect(await focused()).toBe('next')
    await ada.press('Enter')
    await ada.shows('Page 3 of 3')
    const tree = await ada.accessibilityTree()
    for (const node of [
      ...['heading Weekly sync', 'status', 'timer Meeting time 0:00', 'region Pages', 'image Page 3'],
      ...['button Previous page', 'button Next page', 'region Messages', 'log Messages', 'region People (1)'],
    ])
      expect(tree).toContain(node)
  })

  test.each([320, 390, 768, 1280])(
    'the room page in a browser fits into a window that is %s pixels wide',
    async (width) => {
      const { room, enter, say, ask, origin } = await createLesson({
        name: 'A room whose name is '.repeat(6),
      })
      const ada = await enter(room, 'ada')
      await ada.shows('Connected as')
      await ada.resize(width, 800, { mobile: width < 500 })
      const entities = [{ type: 'Image', src: `${origin}/room-page/icon.svg` }]
      await ask('POST', `/rooms/${room}/pages/create_many`, [
        { entities, size: { width: 2000, height: 1000 } },
      ])
      await say(room, 'word'.repeat(200))
      await ada.shows('wordword')
      await ada.shows('Page 1 of 1')
      expect(await ada.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    },
  )

  test('the room page in a browser shows markup as text and runs no injected script', async () => {
    const { room, enter, say } = await createLesson({ name: '<img src=x onerror="window.owned=1">' })
    const ada = await enter(room, 'ada')
    await ada.shows('<img src=x', 'h1')
    await say(room, '<script>window.owned=1</script>')
    await ada.shows('<script>')
    await ada.evaluate(`(() => {
      const script = document.createElement('script')
      try { script.text = 'window.owned=1' } catch {}
      document.body.append(script)
    })()`)
    expect(await ada.evaluate('window.owned ?? null')).toBe(null)
  })
})

describe.skipIf(browser === undefined)('embedding of the room page', { timeout: 60_000 }, () => {
  async function serveEmbedder(): Promise<{ origin: string; show(url: string): void }> {
    let link = ''
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(
        `<script>window.got = []; onmessage = ({ data, origin }) => got.push({ ...data, origin })</script><iframe src="${link}" width="800" height="600"></iframe>`,
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const show = (url: string) => {
      link = url
    }
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, show }
  }

  test('the room page refuses embedding by another origin by default', async () => {
    const { room, user, newPage, linkTo, sessions } = await setUp(undefined)
    await user('ada', 'Ada')
    const page = await newPage()
    const { origin, show } = await serveEmbedder()
    show(linkTo(await room({ type: 'open' }), 'ada'))
    await page.open(origin)
    await page.until(`document.readyState === 'complete'`)
    expect(page.problems.join()).toMatch(/frame-ancestors|X-Frame-Options/)
    expect(sessions()).toBe(0)
  })

  test('the room page allows embedding by the configured origin and sends room events to it', async () => {
    const { origin, show } = await serveEmbedder()
    const { room, user, newPage, linkTo, say, ask, origin: own } = await setUp(origin)
    await user('ada', 'Ada')
    const id = await room({ type: 'open' })
    show(linkTo(id, 'ada'))
    const page = await newPage()
    await page.open(origin)
    await page.until('got.length === 1')
    await say(id, 'Hello')
    await page.until('got.length === 2')
    await ask('PUT', `/rooms/${id}`, { is_terminated: true })
    await page.until('got.length === 3')
    expect(await page.evaluate('got')).toEqual([
      { event: 'loaded', room_id: id, origin: own },
      { event: 'message', message: 'Hello', origin: own },
      { event: 'terminated', reason: 'terminated', origin: own },
    ])
    const other = await serveEmbedder()
    other.show(linkTo(id, 'ada'))
    const stranger = await newPage()
    await stranger.open(other.origin)
    await stranger.until(`document.readyState === 'complete'`)
    expect(stranger.problems.join()).toContain('frame-ancestors')
  })

  async function setUp(embedOrigin: string | undefined) {
    const served = await roomPages({ embedOrigin })
    return { ...served, sessions: () => served.log.filter((line) => line.startsWith('connect')).length }
  }
})
