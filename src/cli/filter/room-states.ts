/** Named states of a room, as `--where` conditions. */
export const roomStates: Readonly<Record<string, string>> = {
  terminated: 'status=terminated',
  started: 'started_at!=',
  empty: 'online=0',
}
