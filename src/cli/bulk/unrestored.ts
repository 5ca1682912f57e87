/** Data that an import into another service does not restore, because the API neither shows nor accepts it. */
export const unrestoredFields = {
  users: ['access tokens', 'internal ids', 'times', 'order'],
  rooms: ['ids', 'webhooks', 'pages', 'sessions', 'recordings', 'thumbnails', 'times', 'order'],
  members: ['ids', 'anonymous participants', 'times', 'order'],
} as const

export function describeUnrestored(name: keyof typeof unrestoredFields): string {
  return inWords(unrestoredFields[name])
}

/** Formats the data that a backup does not restore; memberships and sessions are deleted with their item. */
export function unrestoredByDeletion(name: 'rooms' | 'users'): string {
  return inWords([name === 'rooms' ? 'anonymous participants' : 'sessions', ...unrestoredFields[name]])
}

function inWords(what: readonly string[]): string {
  return `${what.slice(0, -1).join(', ')} and ${what.at(-1)}`
}
