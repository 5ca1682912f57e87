import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { TransportError, type WireRequest } from '../../src/api/wire.ts'
import { describeUnrestored } from '../../src/cli/import/unrestored.ts'
import { baseUrl, type Contents, createWorld } from './world.ts'

/** The text without the white space around it, as imports read it. */
export const trimmed = (text: string) =>
  text.replace(/^[\s\x85\u180e\u200b\u2060]+|[\s\x85\u180e\u200b\u2060]+$/g, '')

/** A world for imports and exports: the files where the program runs, and what the service really holds. */
export async function createImportWorld(contents?: Contents) {
  const world = await createWorld(contents)
  const path = (name: string) => join(world.dir, name)
  const all = async (what: string, key: string): Promise<any[]> =>
    (await world.send('GET', `${what}?limit=1000`)).body[key]
  /** The names of the users, by their ids. */
  const users = async (): Promise<Record<string, string | null>> =>
    Object.fromEntries((await all('/users', 'users')).map(({ user_id, name }) => [user_id, name]).sort())
  /** Loses the response to each write, although the service has acted, and everything after the first write. */
  const loseConnection = () => {
    let isLost = false
    world.intercept = async (request, next) => {
      if (request.method === 'GET') return isLost ? lost() : next()
      isLost = true
      await next()
      return lost()
    }
  }
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
    loseConnection,
    /** Leaves the journal of an import that was cut off before any answer arrived; the service has acted. */
    async cutOff(line: string): Promise<void> {
      loseConnection()
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

/** A new import world for each test of a file, and short forms of what most tests of imports do with it. */
export function importFixture() {
  let current: ImportWorld
  const renew = async () => {
    current = await createImportWorld()
  }
  beforeEach(renew)
  const world = new Proxy({} as ImportWorld, {
    get: (_, key) => Reflect.get(current, key),
    set: (_, key, value) => Reflect.set(current, key, value),
  })
  const run = (line: readonly string[] | string, stdin?: string) =>
    world.run(line, stdin === undefined ? {} : { stdin })
  const user = (user_id: string, fields: object = {}) => world.send('POST', '/users', { user_id, ...fields })

  /** Creates users and files, runs the command, and compares all that the case expects. */
  async function check({ users = [], files = {}, line, stdin, expected }: ImportCase) {
    for (const id of users) await user(id)
    for (const [name, content] of Object.entries(files)) world.file(name, content)
    const { code, stdout, stderr } = await run(line, stdin)
    const observe: Record<keyof Required<ImportCase>['expected'], () => unknown> = {
      code: () => code,
      stdout: () => stdout,
      stderr: () => stderr,
      results: () => resultsOf(stdout),
      users: () => world.users(),
      rooms: () => world.rooms(),
      sent: () => world.sent(),
      writes: () => world.writes(),
      files: () =>
        Object.fromEntries(Object.keys(expected.files ?? {}).map((name) => [name, world.read(name)])),
    }
    const whole = { code: 0, ...expected }
    const actual = Object.keys(whole).map(async (key) => [key, await observe[key as keyof typeof observe]()])
    expect(Object.fromEntries(await Promise.all(actual))).toEqual(whole)
  }

  return {
    world,
    run,
    user,
    renew,
    /** Declares a test for each case. */
    testCases: (cases: Record<string, ImportCase>) =>
      test.each(Object.entries(cases))('%s', (_name, each) => check(each)),
  }
}

/** A run of an import as data. */
export interface ImportCase {
  /** IDs of users that exist before. */
  users?: readonly string[]
  /** Files that exist before. */
  files?: Record<string, string | Uint8Array>
  line: readonly string[] | string
  stdin?: string
  /** The end of the run, exit code 0 unless it says otherwise, and what exists then. */
  expected: {
    code?: number
    stdout?: unknown
    stderr?: unknown
    results?: unknown
    users?: Record<string, string | null>
    rooms?: readonly string[]
    /** Requests, as `METHOD /path`. */
    sent?: unknown
    writes?: readonly string[]
    /** Contents of files; undefined for a missing one. */
    files?: Record<string, unknown>
  }
}

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
  'warning: overwriting a user resets the fields that its row leaves out: profile_url, default_member_type, email; --if-exists update keeps them\n'

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
  const [, line = ''] = /(?:resume|run it again) with: meetroom (.*)$/m.exec(stderr) ?? []
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, '$1$2'),
  )
}
