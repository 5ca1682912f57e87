import { stripVTControlCharacters } from 'node:util'
import { answer, createWorld, type Intercept } from './world.ts'

/** Creates a workspace with three users and rooms of every type. */
export async function createAccessWorld() {
  const world = await createWorld()
  for (const user_id of ['ada', 'mallory', 'trudy'])
    await world.send('POST', '/users', { user_id, name: user_id.toUpperCase() })
  const room = async (name: string, type: string, ...users: string[]): Promise<string> => {
    const { id } = (await world.send('POST', '/rooms', { name, type })).body.room
    for (const user_id of users) await world.send('POST', `/rooms/${id}/members`, { user_id })
    return id
  }
  const ids = {
    lobby: await room('Lobby', 'open', 'mallory'),
    hall: await room('Hall', 'public', 'mallory', 'ada'),
    board: await room('Board', 'private', 'ada', 'mallory', 'trudy'),
    plans: await room('Plans', 'private', 'mallory'),
    empty: await room('Empty', 'private'),
  }
  const members = async (room: string): Promise<any[]> =>
    (await world.send('GET', `/rooms/${room}/members?limit=1000`)).body.members
  const run = async (line: string, ...rest: Parameters<typeof world.run>[1][]) => {
    const { code, stdout, stderr } = await world.run(line, rest[0])
    return { code, stdout, stderr }
  }
  return Object.assign(world, {
    ids,
    members,
    member: async (room: string, user: string): Promise<any> =>
      (await members(room)).find(({ user_id }) => user_id === user),
    outcome: run,
    rows: async (line: string) => {
      const { code, stdout, stderr } = await world.run(`${line} -o ndjson`)
      const rows = stdout
        .split('\n')
        .slice(0, -1)
        .map((text): Record<string, any> => JSON.parse(text))
      return { code, stderr, rows }
    },
    userExists: async (user: string) => (await world.send('GET', `/users/${user}`)).status === 200,
    writes: () =>
      world.requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, url, body = '' }) =>
          `${method} ${url.slice('https://meet.test/v1'.length)} ${body}`.trim(),
        ),
    /** Makes requests with a matching URL fail until `intercept` changes; by default, with any method. */
    fails: (pattern: RegExp, status = 500, method?: string) => {
      world.intercept = async (request, next) =>
        pattern.test(request.url) && (method === undefined || request.method === method)
          ? answer(status, { error: { code: 'broken', message: 'it is broken' } })
          : next()
    },
    /** Runs a command on a terminal with typed input. */
    typing: async (text: string, line: string) => {
      const { host, done } = world.start(line.split(' '), { tty: true, columns: 400 })
      setImmediate(() => host.type(text))
      const { code, stderr } = await done
      return { code, stderr: stripVTControlCharacters(stderr).replace(/\s+/g, ' ') }
    },
  })
}

export type AccessWorld = Awaited<ReturnType<typeof createAccessWorld>>

export const withoutMemberTokens: Intercept = async ({ url }, next) => {
  const answered = await next()
  if (!url.includes('/members')) return answered
  const body = JSON.parse(new TextDecoder().decode(answered.body))
  for (const member of body.members ?? [body.member]) delete member?.access_token
  return answer(answered.status, body)
}
