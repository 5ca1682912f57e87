/**
 * Effects of commands. `waits`: reads, but for one profile only. `any`: depends on the arguments. `stays`:
 * runs until the user stops the command. `forgets`: deletes on this machine. `machine`: fits no other effect.
 */
export type Effect =
  | 'reads'
  | 'compares'
  | 'waits'
  | 'writes'
  | 'destroys'
  | 'any'
  | 'stays'
  | 'joins'
  | 'machine'
  | 'forgets'

export function alwaysWrites(effect: Effect): boolean {
  return effect === 'writes' || effect === 'destroys' || effect === 'joins'
}

export const mayWrite = (effect: Effect): boolean => alwaysWrites(effect) || effect === 'any'

export const isHarmless = (effect: Effect): boolean => !mayWrite(effect) && !isDestructive(effect)

/** Returns true for commands whose requests `--dry-run` and `--curl` can show. */
export function sendsRequests(effect: Effect): boolean {
  return !['stays', 'joins', 'machine', 'forgets'].includes(effect)
}

export const isDestructive = (effect: Effect): boolean => effect === 'destroys' || effect === 'forgets'
