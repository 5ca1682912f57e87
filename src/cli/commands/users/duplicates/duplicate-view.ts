import type { View } from '../../../output/views/views.ts'

export const duplicateView: View = {
  noun: ['duplicate', 'duplicates'],
  id: 'user_id',
  columns: [
    { field: 'group', weight: 9 },
    { field: 'same', weight: 9 },
    { field: 'user_id', weight: 9 },
    { field: 'name', weight: 7 },
    { field: 'email', weight: 7 },
    { field: 'created_at', weight: 3 },
  ],
  fields: ['group', 'same', 'user_id', 'name', 'email', 'created_at'],
}
