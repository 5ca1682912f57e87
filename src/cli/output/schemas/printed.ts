import * as z from 'zod'
import { operations } from '../../../api/operations.ts'
import { resources } from '../../../api/resources.ts'
import { WebhookEvent } from '../../../api/webhooks.ts'
import type { RowKind } from '../views/define-row.ts'
import { rowsOfReports } from '../views/report-rows.ts'
import { flagFields, rowKinds, rowsOfCommands, rowsOfManyRooms } from '../views/rows.ts'
import { createRowSchema, createShape, listOf } from './row-schema.ts'

/** Casts the schema of a value from the service, because the value may have another type. */
const sent = <T = unknown>(schema: z.ZodType) => schema as z.ZodType<T>

const text = z.string().nullable()
const time = text.describe('ISO 8601, UTC')
const id = z.union([z.string(), z.number()])
const ready = z.object({ event: z.literal('ready'), url: z.string() })
const anything = z.looseObject({})

const kindSummary = z.object({ create: z.int(), change: z.int(), remove: z.int(), declared: z.int() })
const planSummary = z.object({
  ...{ users: kindSummary, rooms: kindSummary, members: kindSummary },
  ...{ unresolved: z.int(), cannot: z.int(), not_shown: z.int(), not_in_file: z.int() },
})
const eventFields = { at: sent<string>(time), room_id: z.string() }
const commonFields = {
  at: eventFields.at,
  room_id: z.string().optional().describe('missing with --all-rooms'),
}
const personFields = createShape(rowKinds.people.shape)
const online = z.int().describe('number of sessions that are connected then')
const watchEvent = z
  .discriminatedUnion('event', [
    z
      .object({
        event: z.literal('room'),
        ...{ ...eventFields, name: z.unknown(), terminated_at: sent(time) },
        status: sent(z.enum(['active', 'terminated']).nullable()),
      })
      .describe('status of the room: at the start, and after each change'),
    z
      .object({ event: z.literal('present'), ...eventFields, ...personFields })
      .describe('participants at the start'),
    z
      .object({ event: z.literal('ready'), ...commonFields, online })
      .describe('all participants at the start are listed'),
    z.object({ event: z.literal('joined'), ...eventFields, ...personFields, online }),
    z.object({
      event: z.literal('left'),
      ...eventFields,
      ...personFields,
      disconnected_at: sent(time),
      online,
    }),
    z
      .object({ event: z.literal('lost'), ...commonFields, reason: z.string() })
      .describe('the service does not respond and is polled again'),
    z.object({ event: z.literal('back'), ...commonFields, seconds: z.number() }),
  ])
  .describe('one object per line, when noticed; null if the service does not show the value')

const contents = {
  schema_version: z.int(),
  rooms: z.int(),
  users: z.int(),
  members: z.int(),
  sessions: z.int(),
  pages: z.int(),
}
const saved = z.string().describe('backup of the previous workspace')

const seeded = { users: z.int(), rooms: z.int() }

const schemas = {
  'rooms wait': operations.getRoom.response,
  'rooms open': z.object({
    room_id: z.string(),
    opened: z.boolean(),
    link: text.describe('null if the browser opened it'),
  }),
  'sessions watch': watchEvent,
  'workspace diff': listOf(rowKinds.plan, { summary: planSummary }),
  'workspace apply': listOf(rowKinds.applied, { summary: planSummary }),
  serve: z.object({
    event: z.literal('ready'),
    base_url: z.string(),
    api_key_file: z.string(),
    pid: z.int(),
  }),
  'local backup': z.object({ workspace: z.string(), path: z.string(), bytes: z.int(), ...contents }),
  'local restore': z.object({
    workspace: z.string(),
    backup: z.string(),
    saved: saved.nullable().describe('null if there was no workspace'),
    ...contents,
    changed_rows: z.int().optional().describe('rows that were changed or omitted; missing if there are none'),
  }),
  'local tidy': z.object({
    workspace: z.string(),
    deleted: z.int().describe('copies that were deleted'),
    bytes: z.int(),
  }),
  'local reset': z.union([
    z.object({ workspace: z.string(), saved }),
    z.object({ ...seeded, unmatched_faults: z.array(z.string()), unknown_operations: z.array(z.string()) }),
  ]),
  'local clock': z.object({ now: z.string().describe('ISO 8601, UTC'), is_frozen: z.boolean() }),
  'local fail': z.object({ faults: z.int().describe('faults that were added since the last reset') }),
  'local seed': z.object(seeded),
  join: z.looseObject({ event: z.string() }).describe('one object per line, as events arrive'),
  'webhooks listen': z
    .union([
      ready,
      WebhookEvent.extend({ verified: z.boolean().describe('false without --secret') }),
      z.object({
        event: z.literal('refused'),
        status: z.int().describe('status of the response'),
        reason: z.string(),
      }),
    ])
    .describe('one object per line, as requests arrive'),
  'webhooks verify': z.object({
    webhook_id: text,
    timestamp: text,
    action: text,
    valid: z.boolean().describe('false if the body or the signature is not valid'),
    signature: z.string(),
  }),
  'webhooks trigger': z.object({
    webhook_id: z.string(),
    to: z.string().describe('URL of the receiver, without user name, password and query'),
    sent: z.unknown().describe('the event'),
    signature: text.describe('null without --secret'),
    status: z.int().describe('status of the response'),
    response: text.describe('beginning of the response body; null if it is empty'),
  }),
  api: z.unknown().describe('the response of the service'),
  openapi: anything.extend({ openapi: z.string(), paths: anything }).describe('an OpenAPI 3.1 document'),
  commands: listOf(rowKinds.commands, {
    version: z.string(),
    global_flags: z.array(createRowSchema(flagFields)),
    exit_codes: z.record(z.string(), z.string()),
  }),
  doctor: z.object({
    ok: z.boolean(),
    checks: z.array(createRowSchema(rowKinds.checks.shape)),
  }),
  schema: anything.describe('a JSON Schema'),
  'auth status': z.object({
    profile: z.string(),
    profile_from: z.string(),
    base_url: text,
    base_url_from: text,
    workspace: text,
    key_from: text,
    key_fingerprint: text.describe('first 8 hex digits of the SHA-256 of a key of 20 characters or more'),
    key_stored_at: text.describe('when the key was stored: ISO 8601, UTC'),
    works: z.boolean(),
  }),
  'config get': z.object({ key: z.string(), value: id.nullable(), origin: text }),
} satisfies Readonly<Record<string, z.ZodType>>

const listsOf = (
  kinds: Readonly<Record<string, RowKind | readonly RowKind[]>>,
): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(Object.entries(kinds).map(([command, kind]) => [command, listOf(kind)]))

export const commandSchemas: Readonly<Record<string, z.ZodType>> = {
  ...listsOf({ ...rowsOfCommands, ...rowsOfReports }),
  ...schemas,
}

export type Printed = { [Command in keyof typeof schemas]: z.output<(typeof schemas)[Command]> }

export const manyRoomsSchemas = listsOf(rowsOfManyRooms)

export const counts = [
  z.object({ count: z.int() }).describe('with --count'),
  z.object({ counts: z.array(z.looseObject({ count: z.int() })) }).describe('with --count-by'),
] as const

export const exportedKind = new Map(
  Object.values(resources).map((resource) => [`${resource.plural} export`, resource]),
)
