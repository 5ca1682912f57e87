import type { View } from '../../../output/views/views.ts'

export const peopleView: View = {
  noun: ['session', 'sessions'],
  id: 'session_id',
  columns: [
    { field: 'name', weight: 9 },
    { field: 'user_id', weight: 8 },
    { field: 'member_id', weight: 3 },
    { field: 'since', weight: 6 },
    { field: 'minutes', weight: 7 },
  ],
  fields: ['session_id', 'member_id', 'user_id', 'name', 'connected_at'],
}
