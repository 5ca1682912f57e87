import type { MeetroomCommand } from '../kernel/meetroom-command.ts'

export interface Group {
  name: string
  alias?: string
  summary: string
  /** Help topic of the commands that have no topic in `ownTopics`. */
  topic?: string
  heading: string
  hidden?: true
  load: () => Promise<(group: MeetroomCommand, define: Define) => void>
}

/** Function that defines the named groups, for commands that describe other commands. */
export type Define = (names: readonly string[]) => Promise<void>

const getStarted = 'Get started:'
const manage = 'Manage:'
const runAndTest = 'Run and test:'
const scripting = 'API and scripting:'

export const groups: readonly Group[] = [
  {
    name: 'auth',
    summary: 'Log in to a service, log out, and check the key',
    topic: 'config',
    heading: getStarted,
    load: async () => (await import('./auth/auth.ts')).defineAuth,
  },
  {
    name: 'doctor',
    summary: 'Check settings, key, network and service',
    topic: 'troubleshooting',
    heading: getStarted,
    load: async () => (await import('./doctor/doctor.ts')).defineDoctor,
  },
  {
    name: 'profiles',
    alias: 'profile',
    summary: 'Switch between services',
    topic: 'config',
    heading: getStarted,
    load: async () => (await import('./profiles/profiles.ts')).defineProfiles,
  },
  {
    name: 'config',
    summary: 'Show and change settings',
    topic: 'config',
    heading: getStarted,
    load: async () => (await import('./config/config.ts')).defineConfig,
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh, fish or PowerShell',
    topic: 'completion',
    heading: getStarted,
    load: async () => (await import('./completion/completion.ts')).defineCompletion,
  },
  {
    name: 'rooms',
    alias: 'room',
    summary: 'List, create, change, terminate and delete rooms',
    topic: 'concepts',
    heading: manage,
    load: async () => (await import('./rooms/rooms.ts')).defineRooms,
  },
  {
    name: 'members',
    alias: 'member',
    summary: 'Add users to rooms, change their roles, block them',
    topic: 'concepts',
    heading: manage,
    load: async () => (await import('./members/members.ts')).defineMembers,
  },
  {
    name: 'users',
    alias: 'user',
    summary: 'List, create, change and delete users of the workspace',
    topic: 'concepts',
    heading: manage,
    load: async () => (await import('./users/users.ts')).defineUsers,
  },
  {
    name: 'sessions',
    alias: 'session',
    summary: 'List, report and watch the sessions of rooms',
    topic: 'live',
    heading: manage,
    load: async () => (await import('./sessions/sessions.ts')).defineSessions,
  },
  {
    name: 'usage',
    summary: 'Report room usage in one month',
    topic: 'attendance',
    heading: manage,
    load: async () => (await import('./usage/usage.ts')).defineUsage,
  },
  {
    name: 'pages',
    alias: 'page',
    summary: 'Create and list pages of shared content in rooms',
    topic: 'concepts',
    heading: manage,
    load: async () => (await import('./pages/pages.ts')).definePages,
  },
  {
    name: 'message',
    alias: 'messages',
    summary: 'Send a message to the online sessions of a room',
    topic: 'live',
    heading: manage,
    load: async () => (await import('./message/message.ts')).defineMessage,
  },
  {
    name: 'workspace',
    summary: 'Keep a workspace in a file: export, diff, apply',
    topic: 'workspace',
    heading: manage,
    load: async () => (await import('./workspace/workspace.ts')).defineWorkspace,
  },
  {
    name: 'audit',
    summary: 'List the changes in the audit log',
    topic: 'audit',
    heading: manage,
    load: async () => (await import('./audit/audit.ts')).defineAudit,
  },
  {
    name: 'serve',
    summary: 'Serve the local workspace over HTTP and WebSocket',
    topic: 'local',
    heading: runAndTest,
    load: async () => (await import('./serve/serve.ts')).defineServe,
  },
  {
    name: 'local',
    summary: 'Back up, restore and reset the local workspace; control a test service',
    topic: 'local',
    heading: runAndTest,
    load: async () => (await import('./local/local.ts')).defineLocal,
  },
  {
    name: 'join',
    summary: 'Join a room from the terminal',
    topic: 'live',
    heading: runAndTest,
    load: async () => (await import('./join/join.ts')).defineJoin,
  },
  {
    name: 'webhooks',
    alias: 'webhook',
    summary: 'Receive, verify, trigger and redeliver webhooks',
    topic: 'webhooks',
    heading: runAndTest,
    load: async () => (await import('./webhooks/webhooks.ts')).defineWebhooks,
  },
  {
    name: 'api',
    summary: 'Send any request to the service',
    topic: 'api',
    heading: scripting,
    load: async () => (await import('./api/api.ts')).defineApi,
  },
  {
    name: 'openapi',
    summary: 'Print the API as an OpenAPI document',
    topic: 'api',
    heading: scripting,
    load: async () => (await import('./openapi.ts')).defineOpenapi,
  },
  {
    name: 'commands',
    summary: 'List every command with its flags and effects',
    topic: 'agents',
    heading: scripting,
    load: async () => (await import('./commands.ts')).defineCommands,
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a command’s output',
    topic: 'api',
    heading: scripting,
    load: async () => (await import('./schema/schema.ts')).defineSchema,
  },
  {
    name: 'cache',
    summary: 'Deprecated: does nothing',
    heading: scripting,
    hidden: true,
    load: async () => (await import('./cache/cache.ts')).defineCache,
  },
  {
    name: '__complete',
    summary: 'Print completion candidates for a shell',
    heading: getStarted,
    hidden: true,
    load: async () => (await import('./complete.ts')).defineComplete,
  },
  {
    name: 'version',
    summary: 'Print the version',
    heading: getStarted,
    hidden: true,
    load: async () => (await import('./version.ts')).defineVersion,
  },
  {
    name: 'help',
    summary: 'Show help on a command or a topic',
    heading: getStarted,
    hidden: true,
    load: async () => (await import('./help.ts')).defineHelp,
  },
]

/** Help topics of commands whose topic differs from the topic of their group. */
export const ownTopics: Readonly<Record<string, string>> = {
  'rooms link': 'links',
  'rooms open': 'links',
  'members links': 'links',
  'local clock': 'testing',
  'local fail': 'testing',
  'local seed': 'testing',
  'sessions report': 'attendance',
  'users offboard': 'offboarding',
  'users hand-over': 'offboarding',
  'users merge': 'offboarding',
}
