import type { TokensList } from 'marked'

export const topicSummaries = {
  concepts: 'rooms, room types, roles, members, sessions, IDs',
  local: 'the local workspace: data, backup, reset, serving it',
  config: 'settings, profiles and keys; key rotation',
  environment: 'environment variables',
  flags: 'global flags',
  output: 'formats, columns, --query, errors as JSON',
  'exit-codes': 'the meaning of each exit code',
  lists: 'paging, searching, sorting, counting',
  where: 'selecting items by their fields: --where',
  bulk: 'commands for many items: confirmation, --max, concurrency',
  import: 'importing and exporting users, rooms and members as CSV or JSON',
  workspace: 'a workspace as a file: rosters, drift checks, export, diff, apply',
  undo: 'restoring deleted users and rooms from saved records',
  offboarding: 'the rooms of a user, hand-over and offboarding',
  links: 'links to rooms, for one user or for a mail merge',
  attendance: 'attendance reports: participants, times and durations',
  live: 'joining and watching rooms; sessions and close codes',
  webhooks: 'receiving, verifying, testing and redelivering webhooks; signatures',
  testing: 'the embedded service in tests: seed, reset, clock, faults, webhooks',
  recipes: 'common jobs, ready to paste',
  ci: 'GitHub Actions, shell scripts, cron, PowerShell, Docker',
  api: 'operations and rules of the API; any request; JSON Schemas',
  agents: 'meetroom for programs and agents',
  audit: 'the audit log: each change with its account and outcome',
  completion: 'shell completion',
  security: 'guarantees and the tests that check them',
  performance: 'fast commands, lists and imports, with measurements',
  troubleshooting: 'symptoms, causes and fixes',
  changes: 'changelog and compatibility policy',
} as const

export type Topic = keyof typeof topicSummaries

const formerNames: Readonly<Record<string, Topic>> = { formatting: 'output' }

export function findTopic(name: string): Topic | undefined {
  if (Object.hasOwn(topicSummaries, name)) return name as Topic
  return Object.hasOwn(formerNames, name) ? formerNames[name] : undefined
}

/** Returns a topic parsed by the build, because loading the parser would double the startup time. */
export async function readTopic(topic: Topic): Promise<TokensList> {
  const { default: json } = await import(`../../help/${topic}.md`)
  return JSON.parse(json)
}
