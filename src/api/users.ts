import * as z from 'zod'
import { endpoints } from './endpoints.ts'
import type { Operation } from './operation.ts'
import { Id, MemberType, open, Paging, pagingQuery, Timestamp } from './shared.ts'
import { fields } from './vocabulary.ts'

const words = fields.user

/** Section 2.3. */
export const User = z.looseObject({
  user_id: z.string().describe(words.user_id),
  name: z.string().nullish().describe(words.name),
  profile_url: z.string().nullish().describe(words.profile_url),
  default_member_type: open(MemberType).nullish().describe(words.default_member_type),
  access_token: z.string().nullish().describe(words.access_token),
  created_at: Timestamp.describe(words.created_at),
  updated_at: Timestamp.describe(words.updated_at),
  id: z.string().nullish().describe(words.id),
})

// The document lets users be searched by e-mail and lists no field for it: `email` is the embedded service's name.
const settings = z
  .looseObject({
    name: z.string().describe(words.name),
    profile_url: z.string().describe(words.profile_url),
    default_member_type: MemberType.describe(words.default_member_type),
    email: z.string().describe('e-mail address'),
  })
  .partial()

const UserAnswer = z.looseObject({ user: User })
const params = z.object({ user_id: Id.describe(words.user_id) })

export const listUsers = {
  ...endpoints.listUsers,
  query: z.object({
    ...pagingQuery,
    email_search_query: z.string().optional().describe(words.email_search_query),
  }),
  response: z.looseObject({ users: z.array(User), paging: Paging.nullish() }),
} as const satisfies Operation

/** Rule 3: overrides the user that already has this `user_id`. */
export const createUser = {
  ...endpoints.createUser,
  body: settings.extend({ user_id: z.string().min(1).describe(words.user_id) }),
  response: UserAnswer,
} as const satisfies Operation

export const getUser = {
  ...endpoints.getUser,
  params,
  response: UserAnswer,
} as const satisfies Operation

export const updateUser = {
  ...endpoints.updateUser,
  params,
  body: settings,
  response: UserAnswer,
} as const satisfies Operation

export const deleteUser = {
  ...endpoints.deleteUser,
  params,
  response: UserAnswer,
} as const satisfies Operation
