import { findSegmentProblem } from '../../api/path.ts'
import { invalid } from '../common/faults.ts'
import { requireEncodedUrl } from '../common/values.ts'
import { requireUser, toUser } from '../records/records.ts'
import { mergeUnlisted, packUnlisted, pickUnlisted } from '../records/unlisted.ts'
import { closeReasons } from '../sessions/session-control.ts'
import { listPage } from '../store/listing.ts'
import type { UserRow } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import type { Handlers } from './handler-context.ts'

function overwriteUser(store: Store, user: UserRow): UserRow {
  const { user_id, name, profile_url, default_member_type, email, unlisted, updated_at } = user
  const changes = { name, profile_url, default_member_type, email, unlisted, updated_at }
  store.update('users', { user_id }, changes)
  return requireUser(store, user_id)
}

/** Inserts a user. Returns false if the `user_id` exists or is still being deleted. */
function insertUser(store: Store, user: UserRow): boolean {
  const names = Object.keys(user)
  const inserted = store.run(
    `INSERT INTO users (${names}) SELECT ${names.map(() => '?')}
     WHERE NOT EXISTS (SELECT 1 FROM sweeps WHERE kind = 'user' AND id = ?) ON CONFLICT (user_id) DO NOTHING`,
    ...[...Object.values<Value>({ ...user }), user.user_id],
  )
  return inserted > 0
}

/** Ignores the case of ASCII letters. A user ID that contains `@` replaces a missing email. */
function createSearchFilter(text: string): [string, string] {
  const email = `coalesce(email, CASE WHEN instr(user_id, '@') THEN user_id END)`
  // LIKE takes half the time, but does not distinguish the excluded characters, and refuses long texts.
  return /^[^\x80\ufffd-\uffff]{0,1000}$/.test(text)
    ? [`${email} LIKE ? ESCAPE '\\'`, `%${text.replace(/[\\%_]/g, '\\$&')}%`]
    : [`instr(lower(${email}), lower(?)) > 0`, text]
}

/** Converts a row to a list item, with the internal ID (API specification, “User”). */
const toListedUser = (row: UserRow) => Object.assign(toUser(row), { id: row.id })

export const userHandlers = {
  listUsers({ store }, { query: { email_search_query: text, ...paging } }) {
    const listing = { table: 'users', filters: text === undefined ? [] : [createSearchFilter(text)] }
    const { rows, ...page } = listPage<UserRow>(store, listing, paging)
    return { users: rows.map(toListedUser), ...page }
  },

  createUser({ store, now, newId, newToken, cascadeDeleter }, { body }) {
    // Refuses IDs such as `..`, because clients resolve `/users/..` to another path.
    const problem = findSegmentProblem('user_id', body.user_id)
    if (problem !== undefined) throw invalid(problem)
    if (body.profile_url !== undefined) requireEncodedUrl('profile_url', body.profile_url)
    const time = now()
    const user: UserRow = {
      id: newId(),
      user_id: body.user_id,
      name: body.name ?? null,
      profile_url: body.profile_url ?? null,
      default_member_type: body.default_member_type ?? 'guest',
      email: body.email ?? null,
      access_token: newToken(),
      unlisted: packUnlisted(pickUnlisted('user', body)),
      created_at: time,
      updated_at: time,
    }
    // A new user must not inherit memberships of a deleted user with the same ID.
    if (insertUser(store, user) || (cascadeDeleter.finish('user', user.user_id) && insertUser(store, user)))
      return { user: toUser(user) }
    // Creating an existing user overwrites that user (API specification, “Endpoints”, rule 3).
    return { user: toUser(overwriteUser(store, user)) }
  },

  getUser({ store }, { params }) {
    return { user: toUser(requireUser(store, params.user_id)) }
  },

  updateUser({ store, now }, { params, body }) {
    const user = requireUser(store, params.user_id)
    if (body.profile_url !== undefined) requireEncodedUrl('profile_url', body.profile_url)
    const next = {
      ...user,
      name: body.name ?? user.name,
      profile_url: body.profile_url ?? user.profile_url,
      default_member_type: body.default_member_type ?? user.default_member_type,
      email: body.email ?? user.email,
      unlisted: mergeUnlisted(user.unlisted, pickUnlisted('user', body)),
      updated_at: now(),
    }
    return { user: toUser(overwriteUser(store, next)) }
  },

  deleteUser({ store, sessionControl, cascadeDeleter }, { params }) {
    const user = requireUser(store, params.user_id)
    sessionControl.endUser(user.user_id, closeReasons.userDeleted)
    store.run('DELETE FROM users WHERE user_id = ?', user.user_id)
    cascadeDeleter.sweep('user', user.user_id)
    return { user: toUser(user) }
  },
} satisfies Partial<Handlers>
