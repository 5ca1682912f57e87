import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { TransportError, type WireRequest } from '../../src/api/wire.ts'
import { describeUnrestored } from '../../src/cli/import/unrestored.ts'
import { baseUrl, type Contents, createWorld } from './world.ts'

/** Removes the white space that imports remove. */
export const trimmed = (text: string) =>
  text.replace(/^[\s\x85\u180e\u200b\u2060]+|[\s\x85\u180e\u200b\u2060]+$/g, '')

export async function createImportWorld(contents?: Contents) {
  const world = await createWorld(contents)
  const path = (name: string) => join(world.dir, name)
  const all = async (what: string, key: string): Promise<any[]> =>
    (await world.send('GET', `${what}?limit=1000`)).body[key]
  const users = async (): Promise<Record<string, string | null>> =>
    Object.fromEntries((await all('/users', 'users')).map(({ user_id, name }) => [user_id, name]).sort())
  /** Loses the response to each write, and fails each read after the first write. */
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
    file: (name: string, content: string | Uint8Array) => writeFileSync(path(name), content),
    read: (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined),
    users,
    user: async (id: string): Promise<any> =>
      (await world.send('GET', `/users/${encodeURIComponent(id)}`)).body.user,
    rooms: async (): Promise<string[]> => (await all('/rooms', 'rooms')).map(({ name }) => name).sort(),
    members: async (room: string): Promise<string[]> =>
      (await all(`/rooms/${room}/members`, 'members'))
        .map(({ user_id, type, name }) => `${user_id} ${type} ${name ?? '-'}`)
        .sort(),
    room: async (name: string, type = 'open'): Promise<string> =>
      (await world.send('POST', '/rooms', { name, type })).body.room.id,
    async imported(name: string, content: string | Uint8Array, ...flags: string[]) {
      writeFileSync(path(name), content)
      const { code, stdout, stderr } = await world.run(['users', 'import', name, ...flags])
      return { code, stdout, stderr, users: await users() }
    },
    loseConnection,
    /** Runs an import whose writes succeed without a response. */
    async cutOff(line: string): Promise<void> {
      loseConnection()
      await world.run(line)
      world.intercept = undefined
      world.requests.length = 0
    },
    sent: () => world.requests.map(lineOf),
    writes: () => world.requests.filter(({ method }) => method !== 'GET').map(lineOf),
  })
}

export type ImportWorld = Awaited<ReturnType<typeof createImportWorld>>

/** Creates an import world before each test. */
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
    testCases: (cases: Record<string, ImportCase>) =>
      test.each(Object.entries(cases))('%s', (_name, each) => check(each)),
  }
}

export interface ImportCase {
  /** IDs of users that exist before the run. */
  users?: readonly string[]
  /** Files that exist before the run. */
  files?: Record<string, string | Uint8Array>
  line: readonly string[] | string
  stdin?: string
  /** Expected values; `code` is 0 by default. */
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
    /** Contents of files; undefined for a missing file. */
    files?: Record<string, unknown>
  }
}

/** Loses the response, so that the outcome is unknown. */
export const lost = async (): Promise<never> => {
  throw new TransportError('the connection was reset', true)
}

/** Returns the default journal of an import. */
export const journalOf = (file: string, kind = 'users', shard = '') =>
  `${file}.${kind}${shard && `.${shard.replace('/', '-of-')}`}.journal`

/** Returns the complete lines of a journal, parsed. */
export const entriesOf = (journal = ''): Record<string, any>[] =>
  journal
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Returns the rows that a journal records as sent. */
export const sentRows = (entries: readonly Record<string, any>[]): number[] =>
  entries.flatMap(({ sent, to }) =>
    sent === undefined ? [] : Array.from({ length: to - sent + 1 }, (_, i) => sent + i),
  )

export const lineOf = ({ method, url }: WireRequest) => `${method} ${url.slice(baseUrl.length)}`

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

export const usersCsv = (count: number) =>
  `user_id,name\n${numbers(count)
    .map((n) => `u${n},N${n}\n`)
    .join('')}`

/** Returns the users of `usersCsv` in the form of `users()`. */
export const usersOf = (count: number) =>
  Object.fromEntries(
    numbers(count)
      .map((n) => [`u${n}`, `N${n}`])
      .sort(),
  )

/** Notice of a users import with only names and `--if-exists overwrite`. */
export const resetNotice =
  'warning: overwriting a user resets the fields that its row omits: profile_url, default_member_type, email; --if-exists update keeps them\n'

/** Returns the notice of an export about data that an import does not restore. */
export const lostNotice = (command = '') => {
  const kind = /users|rooms|members/.exec(command)?.[0] as 'users' | 'rooms' | 'members'
  return `an import elsewhere does not restore ${describeUnrestored(kind)}\n`
}

export const roomsCsv = (count: number) =>
  `name,type\n${numbers(count)
    .map((n) => `R${n},open\n`)
    .join('')}`

/** Returns the rooms of `roomsCsv` in the form of `rooms()`. */
export const roomsOf = (count: number) =>
  numbers(count)
    .map((n) => `R${n}`)
    .sort()

/** Returns the results that `-o ndjson` printed, sorted by row. */
export const resultsOf = (stdout: string): { row: number; key?: string; status: string; error?: string }[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
    .sort((a, b) => a.row - b.row)

/** Returns the words after `meetroom` of the resume or retry command in a hint; empty without a command. */
export function goOn(stderr: string): string[] {
  const [, line = ''] = /(?:resume|retry) with: meetroom (.*)$/m.exec(stderr) ?? []
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, '$1$2'),
  )
}
