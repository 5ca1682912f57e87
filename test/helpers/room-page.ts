import { formatLogLine } from '../../src/embedded/common/log.ts'
import { type BrowserPage, startBrowser } from './browser.ts'
import { serveHere } from './serve-here.ts'

export async function roomPages(options: Parameters<typeof serveHere>[0] = {}) {
  const log: string[] = []
  const serving = await serveHere({ log: (entry) => log.push(formatLogLine(entry)), ...options })
  const browser = await startBrowser()
  const tokens: Record<string, string> = {}

  async function ask(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(serving.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${serving.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const value: any = await answer.json()
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }

  const linkTo = (room: string, user?: string, origin = serving.origin) =>
    `${origin}/rooms/${room}${user === undefined ? '' : `#access_token=${tokens[user]}`}`

  return {
    ...serving,
    log,
    tokens,
    ask,
    linkTo,
    newPage: browser.newPage,
    async user(user_id: string, name: string): Promise<void> {
      tokens[user_id] = (await ask('POST', '/users', { user_id, name })).user.access_token
    },
    async room(fields: object = {}): Promise<string> {
      return (await ask('POST', '/rooms', { name: 'Weekly sync', type: 'private', ...fields })).room.id
    },
    say: (room: string, message: string) => ask('POST', `/rooms/${room}/message`, { message }),
    async block(room: string, user: string, is_blocked: boolean): Promise<void> {
      const { members } = await ask('GET', `/rooms/${room}/members`)
      const { id } = members.find(({ user_id }: any) => user_id === user)
      await ask('PUT', `/rooms/${room}/members/${id}`, { is_blocked })
    },
    /** Opens the page of a room, without a token if `user` is undefined. */
    async enter(room: string, user?: string): Promise<BrowserPage> {
      const page = await browser.newPage()
      await page.open(linkTo(room, user))
      return page
    },
  }
}
