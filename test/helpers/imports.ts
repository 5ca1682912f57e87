import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WireRequest } from '../../src/api/wire.ts'
import { baseUrl, type World } from './world.ts'

/** The files where a world’s program runs, what it has sent, and what its service really holds. */
export function importing(world: World) {
  const path = (name: string) => join(world.dir, name)
  const all = async (what: string, key: string): Promise<any[]> =>
    (await world.send('GET', `${what}?limit=1000`)).body[key]
  return {
    path,
    file: (name: string, content: string | Uint8Array) => writeFileSync(path(name), content),
    /** The text of a file; undefined when there is none. */
    read: (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined),
    /** The names of the users, by their ids. */
    async users(): Promise<Record<string, string | null>> {
      const users = await all('/users', 'users')
      return Object.fromEntries(users.map(({ user_id, name }) => [user_id, name]).sort())
    },
    user: async (id: string): Promise<any> =>
      (await world.send('GET', `/users/${encodeURIComponent(id)}`)).body.user,
    /** The names of the rooms, each as often as there is a room of that name. */
    rooms: async (): Promise<string[]> => (await all('/rooms', 'rooms')).map(({ name }) => name).sort(),
    /** `user type name` of the members of a room. */
    members: async (room: string): Promise<string[]> =>
      (await all(`/rooms/${room}/members`, 'members'))
        .map(({ user_id, type, name }) => `${user_id} ${type} ${name ?? '-'}`)
        .sort(),
    /** Makes a room of the service; its id. */
    room: async (name: string, type = 'open'): Promise<string> =>
      (await world.send('POST', '/rooms', { name, type })).body.room.id,
    /** Everything that was sent, as `METHOD /path`. */
    requests: () => world.requests.map(lineOf),
    /** Everything that was sent to change something. */
    writes: () => world.requests.filter(({ method }) => method !== 'GET').map(lineOf),
  }
}

export type Importing = ReturnType<typeof importing>

export const lineOf = ({ method, url }: WireRequest) => `${method} ${url.slice(baseUrl.length)}`

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

/** A CSV of users u1, u2 and so on, named N1, N2 and so on. */
export const usersCsv = (count: number) =>
  `user_id,name\n${numbers(count)
    .map((n) => `u${n},N${n}\n`)
    .join('')}`

/** The users of such a CSV, as `users()` tells them. */
export const usersOf = (count: number) =>
  Object.fromEntries(
    numbers(count)
      .map((n) => [`u${n}`, `N${n}`])
      .sort(),
  )

/** A CSV of open rooms R1, R2 and so on. */
export const roomsCsv = (count: number) =>
  `name,type\n${numbers(count)
    .map((n) => `R${n},open\n`)
    .join('')}`

/** The rooms of such a CSV, as `rooms()` tells them. */
export const roomsOf = (count: number) =>
  numbers(count)
    .map((n) => `R${n}`)
    .sort()

/** What `-o ndjson` printed, in the order of the rows. */
export const resultsOf = (stdout: string): { row: number; key?: string; status: string; error?: string }[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
    .sort((a, b) => a.row - b.row)

/** The command line, as a shell reads it, with which a run that did not end says that it goes on. */
export function goOn(stderr: string): string[] {
  const [, line = ''] = /go on with: meetroom (.*)$/m.exec(stderr) ?? []
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, '$1$2'),
  )
}
