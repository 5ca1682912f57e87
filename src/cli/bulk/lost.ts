/** What an import elsewhere does not restore of an export, because the API does not show it or does not take it. */
export const lost = {
  users: ['access tokens', 'internal ids', 'times', 'order'],
  rooms: ['ids', 'webhooks', 'pages', 'sessions', 'recordings', 'thumbnails', 'times', 'order'],
  members: ['ids', 'anonymous participants', 'times', 'order'],
} as const

/** The same in words: `ids, times and order`. */
export function lostInWords(name: keyof typeof lost): string {
  return `${lost[name].slice(0, -1).join(', ')} and ${lost[name].at(-1)}`
}
