import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TransportError, type WireRequest } from '../../src/api/wire.ts'
import { describeUnrestored } from '../../src/cli/bulk/unrestored.ts'
import { baseUrl, createWorld } from './world.ts'

/** The text without the white space around it, as imports read it. */
export const trimmed = (text: string) =>
  text.replace(/^[\s\x85\u180e\u200b\u2060]+|[\s\x85\u180e\u200b\u2060]+$/g, '')

/** A world for imports and exports: the files where the program runs, and what the service really holds. */
export async function createImportWorld() {
  const world = await createWorld()
  const path = (name: string) => join(world.dir, name)
  const all = async (what: string, key: string): Promise<any[]> =>
    (await world.send('GET', `${what}?limit=1000`)).body[key]
  /** The names of the users, by their ids. */
  const users = async (): Promise<Record<string, string | null>> =>
    Object.fromEntries((await all('/users', 'users')).map(({ user_id, name }) => [user_id, name]).sort())
  return Object.assign(world, {
    path,
    /** Writes a file. */
    file: (name: string, content: string | Uint8Array) => writeFileSync(path(name), content),
    /** The text of a file; undefined when it does not exist. */
    read: (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined),
    users,
    user: async (id: string): Promise<any> =>
      (await world.send('GET', `/users/${encodeURIComponent(id)}`)).body.user,
    /** The names of all rooms, repeated ones included. */
    rooms: async (): Promise<string[]> => (await all('/rooms', 'rooms')).map(({ name }) => name).sort(),
    /** `user type name` of the members of a room. */
    members: async (room: string): Promise<string[]> =>
      (await all(`/rooms/${room}/members`, 'members'))
        .map(({ user_id, type, name }) => `${user_id} ${type} ${name ?? '-'}`)
        .sort(),
    /** Makes a room; returns its id. */
    room: async (name: string, type = 'open'): Promise<string> =>
      (await world.send('POST', '/rooms', { name, type })).body.room.id,
    /** Imports users; returns the result and the users that exist then. */
    async imported(name: string, content: string | Uint8Array, ...flags: string[]) {
      writeFileSync(path(name), content)
      const { code, stdout, stderr } = await world.run(['users', 'import', name, ...flags])
      return { code, stdout, stderr, users: await users() }
    },
    /** Leaves the journal of an import that was cut off before any answer arrived; the service has acted. */
    async cutOff(line: string): Promise<void> {
      world.intercept = async (request, next) => {
        const done = await next()
        return request.method === 'GET' ? done : lost()
      }
      await world.run(line)
      world.intercept = undefined
      world.requests.length = 0
    },
    /** Everything that was sent, as `METHOD /path`. */
    sent: () => world.requests.map(lineOf),
    /** Every write that was sent. */
    writes: () => world.requests.filter(({ method }) => method !== 'GET').map(lineOf),
  })
}

export type ImportWorld = Awaited<ReturnType<typeof createImportWorld>>

/** Instead of an answer: nobody knows whether the service has acted. */
export const lost = async (): Promise<never> => {
  throw new TransportError('the connection was reset', true)
}

/** The complete lines of a journal, parsed. */
export const entriesOf = (journal = ''): Record<string, any>[] =>
  journal
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** The rows that a journal says were about to be sent. */
export const sentRows = (entries: readonly Record<string, any>[]): number[] =>
  entries.flatMap(({ sent, to }) =>
    sent === undefined ? [] : Array.from({ length: to - sent + 1 }, (_, i) => sent + i),
  )

export const lineOf = ({ method, url }: WireRequest) => `${method} ${url.slice(baseUrl.length)}`

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

/** A CSV of users u1, u2, …, named N1, N2, …. */
export const usersCsv = (count: number) =>
  `user_id,name\n${numbers(count)
    .map((n) => `u${n},N${n}\n`)
    .join('')}`

/** The users of such a CSV, as `users()` returns them. */
export const usersOf = (count: number) =>
  Object.fromEntries(
    numbers(count)
      .map((n) => [`u${n}`, `N${n}`])
      .sort(),
  )

/** What an import of users with names alone says with `--if-exists overwrite`. */
export const resetNotice =
  'warning: what a row leaves out is reset where the user exists: profile_url, default_member_type, email; --if-exists update keeps it\n'

/** What an export of something says beside its count. */
export const lostNotice = (command = '') => {
  const kind = /users|rooms|members/.exec(command)?.[0] as 'users' | 'rooms' | 'members'
  return `an import elsewhere does not restore ${describeUnrestored(kind)}\n`
}

/** A CSV of open rooms R1, R2, …. */
export const roomsCsv = (count: number) =>
  `name,type\n${numbers(count)
    .map((n) => `R${n},open\n`)
    .join('')}`

/** The rooms of such a CSV, as `rooms()` returns them. */
export const roomsOf = (count: number) =>
  numbers(count)
    .map((n) => `R${n}`)
    .sort()

/** What `-o ndjson` printed, ordered by row. */
export const resultsOf = (stdout: string): { row: number; key?: string; status: string; error?: string }[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
    .sort((a, b) => a.row - b.row)

/** The words of the command that resumes an unfinished run, from its hint. */
export function goOn(stderr: string): string[] {
  const [, line = ''] = /resume with: meetroom (.*)$/m.exec(stderr) ?? []
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, '$1$2'),
  )
}
