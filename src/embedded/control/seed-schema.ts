import * as z from 'zod'
import { findClosest } from '../../api/closest.ts'
import { describeIssue, formatPath } from '../../api/issue.ts'
import { operations } from '../../api/operations.ts'
import { parseTimestamp } from '../../api/readings.ts'
import { UsageError } from '../../errors.ts'
import { isObject } from '../common/values.ts'

const id = z.string().min(1)

function strict(schema: z.ZodType | undefined): z.ZodObject {
  if (!(schema instanceof z.ZodObject)) throw new TypeError('the schema of a request body must be an object')
  const shape = Object.entries(schema.shape).map(([name, field]) => [name, strictField(field)])
  return z.strictObject(Object.fromEntries(shape))
}

function strictField(field: z.core.$ZodType): z.core.$ZodType {
  if (field instanceof z.ZodOptional) return z.optional(strictField(field.unwrap()))
  if (field instanceof z.ZodArray) return z.array(strictField(field.element))
  return field instanceof z.ZodObject ? strict(field) : field
}

const page =
  operations.createPages.body instanceof z.ZodArray ? operations.createPages.body.element : undefined

/** Converter of ISO 8601 timestamps to milliseconds since 1970. */
const timestamp = z.iso
  .datetime({
    offset: true,
    error: ({ input }) =>
      typeof input === 'string'
        ? `must be a timestamp such as 2026-01-31T09:00:00Z, not “${input}”`
        : undefined,
  })
  .transform((text) => parseTimestamp(text) ?? 0)

const session = z
  .strictObject({ id: id.optional(), connected_at: timestamp, disconnected_at: timestamp })
  .refine(({ connected_at, disconnected_at }) => connected_at <= disconnected_at, {
    path: ['disconnected_at'],
    error: 'must not be before connected_at',
  })

const member = strict(operations.addMember.body).extend({
  id: id.optional(),
  name: z.string().optional(),
  is_blocked: z.boolean().optional(),
  sessions: z.array(session).optional(),
})

const seedSchema = z.strictObject({
  users: z.array(strict(operations.createUser.body).extend({ access_token: id.optional() })).optional(),
  rooms: z
    .array(
      strict(operations.createRoom.body).extend({
        id: id.optional(),
        is_terminated: z.boolean().optional(),
        members: z.array(member).optional(),
        pages: z.array(strict(page as z.ZodType)).optional(),
        sessions: z.array(session).optional(),
      }),
    )
    .optional(),
})

export interface SeedUser {
  user_id: string
  access_token?: string
}

export interface SeedRoom {
  id?: string
  type: string
  is_terminated?: boolean
  members?: readonly SeedMember[]
  pages?: readonly object[]
  /** Sessions of anonymous participants. */
  sessions?: readonly SeedSession[]
}

export interface SeedMember {
  id?: string
  user_id: string
  is_blocked?: boolean
  sessions?: readonly SeedSession[]
}

export type SeedSession = z.output<typeof session>

export interface ParsedSeed {
  users?: readonly SeedUser[]
  rooms?: readonly SeedRoom[]
}

/** @throws {UsageError} for an invalid key or value, or a duplicate ID or token; the message has its path */
export function parseSeed(value: unknown): ParsedSeed {
  const result = seedSchema.safeParse(value)
  if (result.success) {
    const seed = result.data as unknown as ParsedSeed
    requireUniqueIds(seed)
    return seed
  }
  const { issues } = result.error
  // An unknown key comes first, because a misspelling may explain a missing required key.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  throw new UsageError(
    `the seed cannot be used: ${issue?.code === 'unrecognized_keys' ? describeUnknownKey(issue) : describeIssue(issue, value)}`,
  )
}

/** Refuses duplicates: for example, the service would overwrite a user that occurs twice. */
function requireUniqueIds({ users = [], rooms = [] }: ParsedSeed): void {
  const members = rooms.flatMap((room, i) =>
    (room.members ?? []).map((member, j) => ({ ...member, path: `rooms[${i}].members[${j}]`, room: i })),
  )
  requireUnique(users.map(({ user_id }, i) => [`users[${i}].user_id`, user_id]))
  requireUnique(users.map(({ access_token }, i) => [`users[${i}].access_token`, access_token]))
  requireUnique(rooms.map(({ id }, i) => [`rooms[${i}].id`, id]))
  requireUnique(members.map(({ path, id }) => [`${path}.id`, id]))
  requireUnique([
    ...rooms.flatMap(({ sessions }, i) => listSessionIds(`rooms[${i}]`, sessions)),
    ...members.flatMap(({ path, sessions }) => listSessionIds(path, sessions)),
  ])
  for (const i of rooms.keys())
    requireUnique(
      members.filter(({ room }) => room === i).map(({ path, user_id }) => [`${path}.user_id`, user_id]),
    )
}

function listSessionIds(path: string, sessions: readonly SeedSession[] = []) {
  return sessions.map(({ id }, i) => [`${path}.sessions[${i}].id`, id] as const)
}

function requireUnique(values: readonly (readonly [path: string, value: string | undefined])[]): void {
  const seen = new Set<string>()
  for (const [path, value] of values) {
    if (value === undefined) continue
    if (seen.has(value)) throw new UsageError(`the seed cannot be used: ${path} “${value}” occurs twice`)
    seen.add(value)
  }
}

function describeUnknownKey({ path, keys: [key = ''] }: z.core.$ZodIssueUnrecognizedKeys): string {
  const known = listKeys(path)
  const closest = findClosest(key, known)
  return `${formatPath([...path, key])} is not a field of a seed; ${closest ? `did you mean ${closest}?` : `the fields are ${known.join(', ')}`}`
}

function listKeys(path: readonly PropertyKey[]): string[] {
  let schema: unknown = seedSchema
  for (const step of path) {
    while (schema instanceof z.ZodOptional) schema = schema.unwrap()
    if (schema instanceof z.ZodArray) schema = schema.element
    else if (schema instanceof z.ZodObject) schema = schema.shape[String(step)]
  }
  while (schema instanceof z.ZodOptional) schema = schema.unwrap()
  return schema instanceof z.ZodObject && isObject(schema.shape) ? Object.keys(schema.shape) : []
}
