import { isRecord } from '../../../api/guards.ts'
import { parseJson } from '../../../api/json.ts'
import { parseTimestamp } from '../../../api/readings.ts'
import { UsageError } from '../../../errors.ts'
import type { Item } from '../../output/views/views.ts'
import type { Intent, LockedItem, LockedRoom, Section } from './lock.ts'

const version = 1

export function parseLock(text: string, name: string): Section[] {
  const fail = (problem: string) =>
    new UsageError(`${name} cannot be read: ${problem}`, {
      hint: `restore ${name} from version control; without it, rooms of the workspace file are not recognized`,
    })
  let value: unknown
  try {
    value = parseJson(text, 20)
  } catch {
    throw fail('it is not valid JSON')
  }
  if (!isRecord(value) || !Array.isArray(value['sections'])) throw fail('it is not a lock file')
  if (value['version'] !== version) throw fail('another version of meetroom wrote the file')
  try {
    return value['sections'].map((section) => parseSection(section as Item))
  } catch {
    throw fail('it is not a lock file')
  }
}

function parseSection({ base_url, application_id, workspace, users, rooms, intents }: Item): Section {
  return {
    base_url: requireText(base_url),
    application_id: application_id === null ? undefined : requireText(application_id),
    workspace: workspace === null ? undefined : requireText(workspace),
    users: parseMap(users, parseItem),
    rooms: parseMap(rooms, parseRoom),
    intents: parseMap(intents, parseIntent),
  }
}

function parseItem({ values, protected: isProtected }: Item): LockedItem {
  return { values: requireRecord(values ?? {}), isProtected: isProtected === true }
}

function parseRoom(room: Item): LockedRoom {
  const blocks = room['blocks'] ?? []
  if (!Array.isArray(blocks)) throw new TypeError('blocks')
  return {
    ...parseItem(room),
    id: requireText(room['id']),
    members: parseMap(room['members'] ?? {}, parseItem),
    blocks: new Set(blocks.map(requireText)),
  }
}

function parseIntent({ name, existing, at, until }: Item): Intent {
  if (!Array.isArray(existing)) throw new TypeError('existing')
  return {
    name: requireText(name),
    existing: existing.map(requireText),
    at: requireTime(at),
    until: requireTime(until),
  }
}

function parseMap<T>(value: unknown, parse: (item: Item) => T): Map<string, T> {
  return new Map(Object.entries(requireRecord(value)).map(([key, item]) => [key, parse(requireRecord(item))]))
}

function requireRecord(value: unknown): Item {
  if (!isRecord(value)) throw new TypeError('not an object')
  return value
}

function requireText(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError('not text')
  return value
}

function requireTime(value: unknown): number {
  const time = parseTimestamp(value)
  if (typeof time !== 'number') throw new TypeError('not a time')
  return time
}

/** Formats one user or member per line in a stable order, for readable changes in git. */
export function formatLock(sections: readonly Section[]): string {
  return `{\n"version": ${version},\n"sections": [\n${sections.map(formatSection).join(',\n')}\n]\n}\n`
}

function formatSection({ base_url, application_id, workspace, users, rooms, intents }: Section): string {
  const identity = { base_url, application_id: application_id ?? null, workspace: workspace ?? null }
  const fields = Object.entries(identity).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  )
  return [
    `{\n${fields.join(',\n')}`,
    `"users": ${formatMap(users, formatItem)}`,
    `"rooms": ${formatMap(rooms, formatRoom)}`,
    `"intents": ${formatMap(intents, formatIntent)}\n}`,
  ].join(',\n')
}

function formatMap<T>(map: ReadonlyMap<string, T>, format: (value: T) => string): string {
  const lines = [...map]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${JSON.stringify(key)}: ${format(value)}`)
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`
}

const protection = (isProtected: boolean) => (isProtected ? { protected: true } : {})

function formatItem({ values, isProtected }: LockedItem): string {
  return JSON.stringify({ values, ...protection(isProtected) })
}

function formatRoom({ id, values, isProtected, members, blocks }: LockedRoom): string {
  const own = JSON.stringify({ id, values, ...protection(isProtected) }).slice(0, -1)
  const blocked = blocks.size === 0 ? '' : `, "blocks": ${JSON.stringify([...blocks].sort())}`
  return `${own}${blocked}, "members": ${formatMap(members, formatItem)}}`
}

function formatIntent({ name, existing, at, until }: Intent): string {
  const [from, to] = [at, until].map((time) => new Date(time).toISOString())
  return JSON.stringify({ name, existing, at: from, until: to })
}
