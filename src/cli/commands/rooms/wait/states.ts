/** States of a room that have a name, as conditions. */
export const roomStates: Readonly<Record<string, string>> = {
  terminated: 'status=terminated',
  started: 'started_at!=',
  empty: 'online=0',
}
