import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { baseUrl, createWorld, type World } from './world.ts'

interface Person {
  user_id: string
  type?: string
}

export async function createWorkspace() {
  const world = await createWorld()
  return {
    world,
    write(text: string, file = 'school.yaml') {
      writeFileSync(join(world.dir, file), text)
    },
    lock(file = 'school.yaml'): any {
      const path = join(world.dir, `${file}.lock`)
      return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
    },
    async user(user_id: string, fields: object = {}) {
      await world.send('POST', '/users', { user_id, name: `User ${user_id}`, ...fields })
    },
    async room(name: string, members: readonly Person[] = [], fields: object = {}): Promise<string> {
      const { body } = await world.send('POST', '/rooms', { name, type: 'private', ...fields, members })
      return body.room.id
    },
    /** Runs a command, and adds its write requests to the result. */
    async run(line: string | readonly string[], options = {}) {
      world.requests.length = 0
      const run = await world.run(line, options)
      return { ...run, writes: writesOf(world) }
    },
    /** Runs `workspace diff`. `lines` contains one line per item of its plan. */
    async diff(flags = '', file = 'school.yaml') {
      const run = await world.run(`workspace diff ${file} -o json ${flags}`.trim())
      const plan = run.stdout === '' ? [] : JSON.parse(run.stdout).plan
      return { ...run, lines: plan.map(lineOf) as string[] }
    },
    async members(room: string): Promise<string[]> {
      const { body } = await world.send('GET', `/rooms/${room}/members?limit=1000`)
      return body.members
        .map((member: any) => `${member.user_id} ${member.type}${member.is_blocked ? ' blocked' : ''}`)
        .sort()
    },
    async rooms(): Promise<any[]> {
      return (await world.send('GET', '/rooms?limit=1000')).body.rooms
    },
    async users(): Promise<any[]> {
      return (await world.send('GET', '/users?limit=1000')).body.users
    },
  }
}

export type TestWorkspace = Awaited<ReturnType<typeof createWorkspace>>

/** Formats an item as one line: `~ member algebra/ada; type: guest → host`. */
export function lineOf({ sign, action, kind, key, room_key, changes, reason }: any): string {
  const fields = changes.map((change: any) =>
    'before' in change
      ? `${change.field}: ${change.before} → ${change.after}`
      : `${change.field}: ${change.after}`,
  )
  const name = room_key === null ? key : `${room_key}/${key}`
  const what = ['+', '~', '-'].includes(sign) ? '' : ` ${action}`
  return [`${sign}${what} ${kind} ${name}`, fields.join(', '), reason].filter(Boolean).join('; ')
}

function writesOf({ requests }: World): string[] {
  return requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, url, body }) =>
      `${method} ${decodeURIComponent(url.slice(baseUrl.length))} ${body ?? ''}`.trim(),
    )
}
