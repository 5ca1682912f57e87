export const groupings = ['user', 'room', 'session'] as const
export type By = (typeof groupings)[number]
