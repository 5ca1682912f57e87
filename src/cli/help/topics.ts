export const topicSummaries = {
  concepts: 'rooms, room types, roles, members, sessions, IDs',
  local: 'the local workspace: data, backup, reset, serving it',
  config: 'settings, profiles and keys',
  environment: 'environment variables',
  flags: 'global flags',
  output: 'formats, columns, --query, errors as JSON',
  'exit-codes': 'exit codes',
  lists: 'pages, searching, sorting, counting',
  where: 'choosing items by their fields: --where',
  bulk: 'commands for many items: confirmation, --max, concurrency',
  import: 'importing and exporting users, rooms and members',
  workspace: 'a workspace as a file: rosters, drift checks, export, diff, apply',
  undo: 'saving records before deletion, and restoring them',
  offboarding: 'which rooms a user is in; handing rooms over; offboarding',
  links: 'links to rooms, for one person or for a mail merge',
  attendance: 'who was in a room, and for how long',
  live: 'joining and watching rooms; sessions and close codes',
  webhooks: 'receiving, testing and redelivering webhooks',
  testing: 'the service inside a test: seed, reset, clock, faults, webhooks',
  recipes: 'common jobs, ready to paste',
  ci: 'GitHub Actions, shell scripts, cron, PowerShell, containers',
  api: 'sending any request; OpenAPI; JSON Schemas',
  agents: 'using meetroom from a program or an agent',
  audit: 'the audit log',
  completion: 'shell completion',
  security: 'keys, tokens, confirmation; how each promise is tested',
  performance: 'start-up, bulk and list figures',
  troubleshooting: 'symptoms, what they mean and what to type',
  changes: 'changelog and compatibility policy',
  reference: 'every command with its flags',
} as const

export type Topic = keyof typeof topicSummaries

const formerNames: Readonly<Record<string, Topic>> = { formatting: 'output' }

export function findTopic(name: string): Topic | undefined {
  if (Object.hasOwn(topicSummaries, name)) return name as Topic
  return Object.hasOwn(formerNames, name) ? formerNames[name] : undefined
}

/** Loaders of the topics. Each topic is bundled separately, so that other commands do not load it. */
const loaders: Readonly<Record<Topic, () => Promise<{ default: string }>>> = {
  concepts: () => import('../../help/concepts.md'),
  local: () => import('../../help/local.md'),
  config: () => import('../../help/config.md'),
  environment: () => import('../../help/environment.md'),
  flags: () => import('../../help/flags.md'),
  output: () => import('../../help/output.md'),
  'exit-codes': () => import('../../help/exit-codes.md'),
  lists: () => import('../../help/lists.md'),
  where: () => import('../../help/where.md'),
  bulk: () => import('../../help/bulk.md'),
  import: () => import('../../help/import.md'),
  workspace: () => import('../../help/workspace.md'),
  undo: () => import('../../help/undo.md'),
  offboarding: () => import('../../help/offboarding.md'),
  links: () => import('../../help/links.md'),
  attendance: () => import('../../help/attendance.md'),
  live: () => import('../../help/live.md'),
  webhooks: () => import('../../help/webhooks.md'),
  testing: () => import('../../help/testing.md'),
  recipes: () => import('../../help/recipes.md'),
  ci: () => import('../../help/ci.md'),
  api: () => import('../../help/api.md'),
  agents: () => import('../../help/agents.md'),
  audit: () => import('../../help/audit.md'),
  completion: () => import('../../help/completion.md'),
  security: () => import('../../help/security.md'),
  performance: () => import('../../help/performance.md'),
  troubleshooting: () => import('../../help/troubleshooting.md'),
  changes: () => import('../../help/changes.md'),
  reference: () => import('../../help/reference.md'),
}

export async function readTopic(topic: Topic): Promise<string> {
  const { default: text } = await loaders[topic]()
  return text
}
