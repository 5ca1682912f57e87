export const unrestoredFields = {
  users: ['access tokens', 'internal IDs', 'times', 'order'],
  rooms: ['IDs', 'webhooks', 'pages', 'sessions', 'recordings', 'thumbnails', 'times', 'order'],
  members: ['access tokens', 'IDs', 'anonymous participants', 'times', 'order'],
} as const

export function describeUnrestored(name: keyof typeof unrestoredFields): string {
  return joinWords(unrestoredFields[name])
}

export function describeUnrestoredByDeletion(name: 'rooms' | 'users'): string {
  return joinWords([...(name === 'rooms' ? ['anonymous participants'] : []), ...unrestoredFields[name]])
}

function joinWords(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
