import type { Env } from './selection.ts'

/** Names of the environment variables that are settings of meetroom, without their prefix. */
export const variables = [
  'API_KEY',
  'BASE_URL',
  'PROFILE',
  'OUTPUT',
  'TIMEOUT',
  'RETRIES',
  'AUDIT_LOG',
  'SAVE_DELETED',
  'JOIN_URL',
  'REPLAY_URL',
  'TIME_ZONE',
  'CONFIG_DIR',
  'DATA_DIR',
  'NO_INPUT',
] as const

export type Variable = (typeof variables)[number]

const known: ReadonlySet<string> = new Set(variables)

/** Lists unknown, non-empty variables with the prefix `MEETROOM_` (in any case), without the prefix. */
export function listUnknownVariables(env: Env): string[] {
  return Object.keys(env).flatMap((name) => {
    const [, rest] = /^MEETROOM_(.+)$/i.exec(name) ?? []
    return rest === undefined || !env[name] || known.has(rest) ? [] : [rest]
  })
}
