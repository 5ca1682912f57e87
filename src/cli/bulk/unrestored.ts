/** What an import elsewhere does not restore of an export, because the API does not show it or does not take it. */
export const unrestoredFields = {
  users: ['access tokens', 'internal ids', 'times', 'order'],
  rooms: ['ids', 'webhooks', 'pages', 'sessions', 'recordings', 'thumbnails', 'times', 'order'],
  members: ['ids', 'anonymous participants', 'times', 'order'],
} as const

/** The same in words: `ids, times and order`. */
export function describeUnrestored(name: keyof typeof unrestoredFields): string {
  return inWords(unrestoredFields[name])
}

/** What does not come back of what was saved before it was deleted: its members and sessions go with it. */
export function unrestoredByDeletion(name: 'rooms' | 'users'): string {
  return inWords([name === 'rooms' ? 'anonymous participants' : 'sessions', ...unrestoredFields[name]])
}

function inWords(what: readonly string[]): string {
  return `${what.slice(0, -1).join(', ')} and ${what.at(-1)}`
}
