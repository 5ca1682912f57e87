export const groupings = ['user', 'room', 'session'] as const
export type Grouping = (typeof groupings)[number]
