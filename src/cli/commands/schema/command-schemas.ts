import * as z from 'zod'
import { operations } from '../../../api/operations.ts'
import { resources } from '../../../api/resources.ts'
import { WebhookEvent } from '../../../api/webhooks.ts'
import { statuses } from '../../../client/outcome.ts'

// Schemas of output that is not a response of the service.

const text = z.string().nullable()
const time = text.describe('ISO 8601, UTC')
const ready = z.object({ event: z.literal('ready'), url: z.string() })
const anything = z.looseObject({})

const results = z.object({
  results: z.array(
    z.object({
      row: z.int().describe('its place in the file, counted from 1'),
      key: z.string().optional().describe('what the row is known by'),
      status: z.enum(statuses),
      id: z.union([z.string(), z.number()]).optional().describe('id of the item'),
      error: z.string().optional(),
    }),
  ),
})

const presence = {
  room_id: z.union([z.string(), z.number()]),
  name: z.unknown(),
  first_in: time,
  last_out: time,
  connections: z.int(),
  minutes: z.number(),
}

const nullable = z.union([z.string(), z.number()]).nullable()
const inRoom = { user_id: nullable, room_id: nullable, room_name: z.unknown(), room_type: z.unknown() }

export const stepSchema = z.object({
  steps: z.array(
    z.object({
      step: z.enum(['block', 'unblock', 'delete']),
      ...inRoom,
      member_id: nullable,
      status: z.enum(statuses),
      reason: text,
    }),
  ),
})

const memberships = z.object({
  memberships: z.array(z.looseObject({ ...inRoom, member_id: nullable, type: z.unknown() })),
})

const attendance = z.object({
  attendance: z.array(
    z.union([
      z.object({
        ...presence,
        user_id: z.unknown(),
        share: z.number().nullable(),
        present: z.boolean(),
        blocked: z.boolean().optional(),
      }),
      z.object({ ...presence, participants: z.int(), absent: z.int().nullable() }),
      z.looseObject({ session_id: z.unknown(), member_id: z.unknown(), minutes: z.number() }),
    ]),
  ),
})

const noticed = { at: time, room_id: z.string() }
const someone = {
  session_id: z.union([z.string(), z.number()]),
  member_id: nullable,
  user_id: nullable,
  name: z.unknown(),
  connected_at: time,
}
const online = z.int().describe('number of sessions that are connected then')
const watched = z
  .discriminatedUnion('event', [
    z
      .object({
        event: z.literal('room'),
        ...{ ...noticed, name: z.unknown(), terminated_at: time },
        status: z.enum(['active', 'terminated']).nullable(),
      })
      .describe('how the room is, first of all and whenever that has changed'),
    z.object({ event: z.literal('present'), ...noticed, ...someone }).describe('who was there at first'),
    z.object({ event: z.literal('ready'), ...noticed, online }).describe('all who were there have been told'),
    z.object({ event: z.literal('joined'), ...noticed, ...someone, online }),
    z.object({ event: z.literal('left'), ...noticed, ...someone, disconnected_at: time, online }),
    z
      .object({ event: z.literal('lost'), ...noticed, reason: z.string() })
      .describe('the service does not answer, and is asked again'),
    z.object({ event: z.literal('back'), ...noticed, seconds: z.number() }),
  ])
  .describe('one object a line, when it is noticed; null where the service does not tell')

const profile = z.object({
  name: z.string(),
  in_use: z.boolean(),
  base_url: text,
  has_key: z.boolean(),
  protected: z.boolean(),
})

const setting = z.object({ key: z.string(), value: z.union([z.string(), z.number()]).nullable() })

const flag = z.looseObject({
  name: z.string(),
  usage: z.string(),
  type: z.enum(['boolean', 'integer', 'number', 'string']),
  required: z.boolean(),
})

/** Schemas by command. A command that is missing here prints a response of the service, or no JSON. */
export const commandSchemas: Readonly<Record<string, z.ZodType>> = {
  'rooms wait': operations.getRoom.response,
  'rooms import': results,
  'members import': results,
  'users import': results,
  'users rooms': memberships,
  'users offboard': stepSchema,
  'sessions report': attendance,
  'sessions watch': watched,
  serve: z.object({
    event: z.literal('ready'),
    base_url: z.string(),
    api_key_file: z.string(),
    pid: z.int(),
  }),
  join: z.looseObject({ event: z.string() }).describe('one object a line, as things happen'),
  'webhooks listen': z.union([ready, WebhookEvent]).describe('one object a line, as webhooks arrive'),
  'webhooks verify': z.object({
    webhook_id: text,
    timestamp: text,
    action: text,
    valid: z.boolean(),
    signature: z.string(),
  }),
  api: z.unknown().describe('whatever the service answers'),
  openapi: anything.extend({ openapi: z.string(), paths: anything }).describe('an OpenAPI 3.1 document'),
  commands: z.object({
    commands: z.array(
      z.object({
        name: z.string(),
        summary: z.string(),
        description: z.string(),
        arguments: z.array(
          z.looseObject({ name: z.string(), required: z.boolean(), repeatable: z.boolean() }),
        ),
        flags: z.array(flag),
        writes: z.boolean().describe('whether it may change something at the service'),
        dry_run: z.boolean().describe('whether --dry-run and --curl show what it would send'),
        exit_codes: z.array(z.int()),
        examples: z.array(z.string()),
      }),
    ),
    version: z.string(),
    global_flags: z.array(flag),
    exit_codes: z.record(z.string(), z.string()),
  }),
  doctor: z.object({
    ok: z.boolean(),
    checks: z.array(
      z.object({
        check: z.string(),
        status: z.enum(['ok', 'failed', 'skipped']),
        message: z.string(),
        hint: text,
      }),
    ),
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
  'profiles list': z.object({ profiles: z.array(profile) }),
  'config list': z.object({ settings: z.array(setting.extend({ origin: text.optional() })) }),
  'config get': setting.extend({ origin: text }),
}

export const counts = [
  z.object({ count: z.int() }).describe('with --count'),
  z.object({ counts: z.array(z.looseObject({ count: z.int() })) }).describe('with --count-by'),
] as const

export const exportedKind = new Map(
  Object.values(resources).map((resource) => [`${resource.plural} export`, resource]),
)
