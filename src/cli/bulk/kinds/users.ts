import { endpoints } from '../../../api/endpoints.ts'
import type { BodyOf } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import { user } from '../../../api/resources.ts'
import { views } from '../../output/views.ts'
import { importColumns } from './columns.ts'
import { idIn, itemOf, type Kind } from './kind.ts'

export const users: Kind<BodyOf<Operations['createUser']>> = {
  ...importColumns(user, views.user, endpoints.createUser),
  name: 'users',
  view: views.user,
  creates: 'createUser',
  key: ({ user_id }) => user_id,
  keyName: 'user_id',
  // Rule 3 of section 4.
  overrides: true,
  repeats: false,
  createsMissing: true,
  find: (client, { user_id }) => itemOf(client.call('getUser', { params: { user_id } }), 'user'),
  create: (client, body) => idIn(client.call('createUser', { body }), 'user', 'user_id'),
  overwrite: (client, body) => users.create(client, body),
  async update(client, { user_id, ...body }) {
    if (Object.keys(body).length > 0) await client.call('updateUser', { params: { user_id }, body })
    return user_id
  },
  trace: async (client, body) => (await users.find(client, body)) ?? 'absent',
}
