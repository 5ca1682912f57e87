import type { MeetroomCommand } from '../kernel/meetroom-command.ts'

export interface Group {
  name: string
  alias?: string
  summary: string
  /** Help topic of the commands that have no topic in `ownTopics`. */
  topic?: string
  heading: string
  load: () => Promise<(group: MeetroomCommand, define: DefineGroups) => void>
}

/** Function that defines the named groups, for commands that describe other commands. */
type DefineGroups = (names: readonly string[]) => Promise<void>

/** Heading of groups that the help omits. */
export const hidden = ''

function listUnder(heading: string, listed: readonly Omit<Group, 'heading'>[]): Group[] {
  return listed.map((group) => ({ ...group, heading }))
}

export const groups: readonly Group[] = [
  ...listUnder('Get started:', [
    {
      name: 'auth',
      summary: 'Log in to a service, log out, and check the key',
      topic: 'config',
      load: async () => (await import('./auth/auth.ts')).defineAuth,
    },
    {
      name: 'doctor',
      summary: 'Check settings, key, network and service',
      topic: 'troubleshooting',
      load: async () => (await import('./doctor/doctor.ts')).defineDoctor,
    },
    {
      name: 'profiles',
      alias: 'profile',
      summary: 'Switch between services',
      topic: 'config',
      load: async () => (await import('./profiles/profiles.ts')).defineProfiles,
    },
    {
      name: 'config',
      summary: 'Show and change settings',
      topic: 'config',
      load: async () => (await import('./config/config.ts')).defineConfig,
    },
    {
      name: 'completion',
      summary: 'Print a completion script for bash, zsh, fish or PowerShell',
      topic: 'completion',
      load: async () => (await import('./completion/completion.ts')).defineCompletion,
    },
  ]),
  ...listUnder('Manage:', [
    {
      name: 'rooms',
      alias: 'room',
      summary: 'List, create, change, terminate and delete rooms',
      topic: 'concepts',
      load: async () => (await import('./rooms/rooms.ts')).defineRooms,
    },
    {
      name: 'members',
      alias: 'member',
      summary: 'Add users to rooms, change their roles, block them',
      topic: 'concepts',
      load: async () => (await import('./members/members.ts')).defineMembers,
    },
    {
      name: 'users',
      alias: 'user',
      summary: 'List, create, change and delete users of the workspace',
      topic: 'concepts',
      load: async () => (await import('./users/users.ts')).defineUsers,
    },
    {
      name: 'sessions',
      alias: 'session',
      summary: 'List, report and watch the sessions of rooms',
      topic: 'live',
      load: async () => (await import('./sessions/sessions.ts')).defineSessions,
    },
    {
      name: 'usage',
      summary: 'Report room usage in one month',
      topic: 'attendance',
      load: async () => (await import('./usage/usage.ts')).defineUsage,
    },
    {
      name: 'pages',
      alias: 'page',
      summary: 'Create and list pages of shared content in rooms',
      topic: 'concepts',
      load: async () => (await import('./pages/pages.ts')).definePages,
    },
    {
      name: 'message',
      alias: 'messages',
      summary: 'Send a message to the online sessions of a room',
      topic: 'live',
      load: async () => (await import('./message/send.ts')).defineMessageSend,
    },
    {
      name: 'workspace',
      summary: 'Keep a workspace in a file: export, diff, apply',
      topic: 'workspace',
      load: async () => (await import('./workspace/workspace.ts')).defineWorkspace,
    },
    {
      name: 'audit',
      summary: 'List the changes in the audit log',
      topic: 'audit',
      load: async () => (await import('./audit/list.ts')).defineAuditList,
    },
  ]),
  ...listUnder('Run and test:', [
    {
      name: 'serve',
      summary: 'Serve the local workspace over HTTP and WebSocket',
      topic: 'local',
      load: async () => (await import('./serve/serve.ts')).defineServe,
    },
    {
      name: 'local',
      summary: 'Back up, restore and reset the local workspace; control a test service',
      topic: 'local',
      load: async () => (await import('./local/local.ts')).defineLocal,
    },
    {
      name: 'join',
      summary: 'Join a room from the terminal',
      topic: 'live',
      load: async () => (await import('./join/join.ts')).defineJoin,
    },
    {
      name: 'webhooks',
      alias: 'webhook',
      summary: 'Receive, verify, trigger and redeliver webhooks',
      topic: 'webhooks',
      load: async () => (await import('./webhooks/webhooks.ts')).defineWebhooks,
    },
  ]),
  ...listUnder('API and scripting:', [
    {
      name: 'api',
      summary: 'Send any request to the service',
      topic: 'api',
      load: async () => (await import('./api/api.ts')).defineApi,
    },
    {
      name: 'openapi',
      summary: 'Print the API as an OpenAPI document',
      topic: 'api',
      load: async () => (await import('./openapi.ts')).defineOpenapi,
    },
    {
      name: 'commands',
      summary: 'List every command with its flags and effects',
      topic: 'agents',
      load: async () => (await import('./commands.ts')).defineCommands,
    },
    {
      name: 'schema',
      summary: 'Print the JSON Schema of a command’s output',
      topic: 'api',
      load: async () => (await import('./schema/schema.ts')).defineSchema,
    },
  ]),
  ...listUnder(hidden, [
    {
      name: 'cache',
      summary: 'Deprecated: does nothing',
      load: async () => (await import('./cache/warm.ts')).defineCacheWarm,
    },
    {
      name: '__complete',
      summary: 'Print completion candidates for a shell',
      load: async () => (await import('./complete.ts')).defineComplete,
    },
    {
      name: 'version',
      summary: 'Print the version',
      load: async () => (await import('./version.ts')).defineVersion,
    },
    {
      name: 'help',
      summary: 'Show help on a command or a topic',
      load: async () => (await import('./help.ts')).defineHelp,
    },
  ]),
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
