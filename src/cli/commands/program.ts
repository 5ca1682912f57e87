import type { Command } from 'commander'
import type { Host } from '../../host.ts'
import { version } from '../../version.ts'
import type { DefineAction } from '../kernel/action.ts'
import { addGlobalFlags } from '../kernel/flags.ts'
import { MeetroomCommand, PlainHelp } from '../kernel/meetroom-command.ts'
import { readTerminalWidth } from '../output/terminal/style.ts'

interface Group {
  name: string
  /** Singular form of the name. */
  alias?: string
  summary: string
  /** Help topic of its commands, unless `ownTopics` has another. */
  topic?: string
  heading: string
  /** True to omit the group from the help. */
  hidden?: true
  load: () => Promise<(group: MeetroomCommand, act: DefineAction, define: Define) => void>
}

/** Function that defines more groups, for commands that describe other commands. */
type Define = (names: readonly string[]) => Promise<void>

const getStarted = 'Get started:'
const manage = 'Manage:'
const runAndTest = 'Run and test:'
const scripting = 'API and scripting:'

const groups: readonly Group[] = [
  {
    name: 'auth',
    summary: 'Log in to a service, log out, show which key is used',
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
    name: 'cache',
    summary: 'Deprecated: does nothing',
    heading: getStarted,
    hidden: true,
    load: async () => (await import('./cache/cache.ts')).defineCache,
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
    summary: 'Invite users to rooms, change their roles, block them',
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
    summary: 'Show who is and was connected to a room',
    topic: 'live',
    heading: manage,
    load: async () => (await import('./sessions/sessions.ts')).defineSessions,
  },
  {
    name: 'usage',
    summary: 'Show how much the rooms were used in a month',
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
    summary: 'Send a message to the live sessions of a room',
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
    name: 'serve',
    summary: 'Serve the local workspace over HTTP and WebSocket',
    topic: 'local',
    heading: runAndTest,
    load: async () => (await import('./serve/serve.ts')).defineServe,
  },
  {
    name: 'local',
    summary: 'Back up, restore and reset the local workspace; control a service for tests',
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
    summary: 'Print the contract as an OpenAPI document',
    topic: 'api',
    heading: scripting,
    load: async () => (await import('./openapi.ts')).defineOpenapi,
  },
  {
    name: 'commands',
    summary: 'List every command, its flags and what it may change',
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

/** Help topics of commands with another topic than their group. */
const ownTopics: Readonly<Record<string, string>> = {
  'rooms link': 'links',
  'rooms open': 'links',
  'members links': 'links',
  'sessions report': 'attendance',
  'users offboard': 'offboarding',
  'users hand-over': 'offboarding',
}

type WantedGroups = 'all' | readonly string[]

/** @param write function that receives the standard output of Commander: the help or the version */
export async function buildProgram(
  host: Host,
  act: DefineAction,
  write: (text: string) => void,
  wanted: WantedGroups,
): Promise<MeetroomCommand> {
  const root = new MeetroomCommand('meetroom')
    .description('Administer a Meeting Room Service: rooms, members, users, sessions, pages and messages.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'help on a command')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: () => {},
      outputError: () => {},
      // Skips the removal of colors in Commander, because the help has none.
      getOutHasColors: () => true,
      getOutHelpWidth: () => readTerminalWidth(host.stdout, host.env) ?? 100,
    })
  addGlobalFlags(root)
  const named = groups.map((group) => ({ ...group, command: nameGroup(root, group), isDefined: false }))
  async function define(names: WantedGroups): Promise<void> {
    for (const group of named) {
      const { name, alias, topic, command, load } = group
      const isWanted = names === 'all' || names.some((word) => word === name || word === alias)
      if (!isWanted || group.isDefined) continue
      group.isDefined = true
      const defineGroup = await load()
      defineGroup(command, act, define)
      addReferences(command, topic)
    }
  }
  await define(wanted)
  // Only `help` and command lines without a command print the root help.
  if (!named.some(({ isDefined, name }) => isDefined && name !== 'help')) {
    const { topicSummaries } = await import('../help/topics.ts')
    root.addHelpText('after', () => formatRootHelp(root, topicSummaries))
  }
  return root
}

function nameGroup(root: MeetroomCommand, { name, alias, summary, heading, hidden }: Group): MeetroomCommand {
  const command = root
    .command(name, { hidden: hidden === true })
    .summary(summary)
    .description(`${summary}.`)
    .helpGroup(heading)
  if (alias) command.alias(alias)
  return command
}

/** Flags that the root help lists; `meetroom help flags` lists all flags. */
const commonFlags = ['--output', '--json', '--profile', '--local', '--dry-run', '--yes', '--quiet', '--help']

/** Formats the end of the root help: topics and common flags. */
function formatRootHelp(root: Command, topics: Readonly<Record<string, string>>): string {
  const help = new PlainHelp()
  const flags = help
    .visibleOptions(root)
    .filter(({ long }) => long && commonFlags.includes(long))
    .map((option) => [help.optionTerm(option), help.optionDescription(option)] as const)
  const others = Object.entries(topics).filter(([topic]) => topic !== 'flags')
  const topicSection = formatSection('Help topics (meetroom help TOPIC; start with concepts):', others)
  return `\n${topicSection}\n${formatSection('Common flags (all: meetroom help flags):', flags).trimEnd()}`
}

function formatSection(heading: string, rows: readonly (readonly [term: string, text: string])[]): string {
  const width = Math.max(...rows.map(([term]) => term.length)) + 2
  return `${heading}\n${rows.map(([term, text]) => `  ${term.padEnd(width)}${text}\n`).join('')}`
}

/** Appends related topics and the reference to the global flags to the help of each command. */
function addReferences(group: MeetroomCommand, topic: string | undefined): void {
  for (const command of group.commands.length > 0 ? group.commands : [group]) {
    const own = ownTopics[`${group.name()} ${command.name()}`] ?? topic
    const topics = new Set([...(own ? [own] : []), ...findTopics(command)])
    const see = [...topics].map((name) => `See: meetroom help ${name}\n`)
    command.addHelpText('after', `\n${see.join('')}Global flags: meetroom help flags`)
  }
}

function findTopics(command: Command): string[] {
  const has = (flag: string) => command.options.some(({ long }) => long === flag)
  return [
    ...(has('--where') || has('--for') ? ['where'] : []),
    ...(has('--sort') ? ['lists'] : []),
    ...(has('--journal') || command.name() === 'export' ? ['import'] : []),
    ...(has('--ignore-not-found') && has('--where') ? ['bulk'] : []),
  ]
}
