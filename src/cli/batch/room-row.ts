import type { Item, View } from '../output/views/views.ts'

/** Rows of a command that sends one write to each of many rooms. */
export const roomRowView: View = {
  noun: ['room', 'rooms'],
  id: 'room_id',
  columns: [
    { field: 'room_id', weight: 8 },
    { field: 'room_name', weight: 7 },
    { field: 'status', weight: 9 },
    { field: 'reason', weight: 6 },
  ],
  fields: ['room_id', 'room_name', 'status', 'reason'],
}

export const pagesRowView: View = {
  ...roomRowView,
  columns: [
    ...roomRowView.columns,
    {
      field: 'pages',
      weight: 5,
      value: ({ page_ids }: Item) => (Array.isArray(page_ids) ? page_ids.length : undefined),
    },
  ],
  fields: [...roomRowView.fields, 'page_ids'],
}
