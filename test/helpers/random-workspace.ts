import fc from 'fast-check'

const roles = ['guest', 'host', 'monitor'] as const
const ids = ['ada', 'grace', 'alan', 'Émile', '007']
const keys = ['a', 'b', 'c', 'd']
const role = fc.constantFrom(...roles)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const user = fc.record({
  name: maybe(fc.constantFrom('X', 'no', 'Y z')),
  default_member_type: maybe(role),
  email: maybe(fc.constantFrom('a@x.test', 'b@x.test')),
})
const member = fc.record({ type: maybe(role), name: maybe(fc.constantFrom('M', 'N')) })
const room = fc.record({
  type: fc.constantFrom('open', 'public', 'private'),
  record: maybe(fc.boolean()),
  layout: maybe(fc.constantFrom('grid', 'stage')),
  is_terminated: maybe(fc.boolean()),
  max_meeting_seconds: maybe(fc.constantFrom(60, 3600)),
})

/** Generator of small workspace files. Two files may have the same room name under different keys. */
export const workspaceFile = fc
  .record({
    users: fc.dictionary(fc.constantFrom(...ids), user, { noNullPrototype: true }),
    rooms: fc.dictionary(fc.constantFrom(...keys), room, { noNullPrototype: true }),
    members: fc.dictionary(
      fc.constantFrom(...keys),
      fc.dictionary(fc.constantFrom(...ids), member, { noNullPrototype: true }),
      { noNullPrototype: true },
    ),
    names: fc.shuffledSubarray(['N0', 'N1', 'N2', 'N3', 'N4'], {
      minLength: keys.length,
      maxLength: keys.length,
    }),
  })
  .map(({ users, rooms, members, names }) => ({
    users: Object.entries(users).map(([user_id, fields]) => ({ user_id, ...fields })),
    rooms: Object.entries(rooms).map(([key, fields]) => ({
      key,
      name: names[keys.indexOf(key)],
      ...fields,
      ...(members[key] && {
        members: Object.entries(members[key]).map(([user_id, fields]) => ({ user_id, ...fields })),
      }),
    })),
  }))

export type RandomFile = typeof workspaceFile extends fc.Arbitrary<infer T> ? T : never
