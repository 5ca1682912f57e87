import { Command, Help, Option } from 'commander'
import { formats } from '../config-values.ts'
import { UsageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { version } from '../version.ts'
import type { Act } from './context.ts'

import { widthOf } from './output/style.ts'

interface Group {
  name: string
  /** The singular, which works too. */
  alias?: string
  summary: string
  heading: string
  load: () => Promise<(group: Command, act: Act) => void>
}

const resources = 'Resources:'
const setup = 'Set-up:'
const liveHeading = 'Live:'
const contract = 'The API itself:'

/** The command groups; the one that is asked for is loaded, the others are only names. */
const groups: readonly Group[] = [
  {
    name: 'rooms',
    alias: 'room',
    summary: 'List, create, change, terminate and delete rooms',
    heading: resources,
    load: async () => (await import('./commands/rooms.ts')).defineRooms,
  },
  {
    name: 'members',
    alias: 'member',
    summary: 'Invite users to rooms, change their roles, block them',
    heading: resources,
    load: async () => (await import('./commands/members.ts')).defineMembers,
  },
  {
    name: 'users',
    alias: 'user',
    summary: 'List, create, change and delete users of the workspace',
    heading: resources,
    load: async () => (await import('./commands/users.ts')).defineUsers,
  },
  {
    name: 'sessions',
    alias: 'session',
    summary: 'See who is and was connected to a room',
    heading: resources,
    load: async () => (await import('./commands/sessions.ts')).defineSessions,
  },
  {
    name: 'pages',
    alias: 'page',
    summary: 'Create pages of shared content in a room',
    heading: resources,
    load: async () => (await import('./commands/pages.ts')).definePages,
  },
  {
    name: 'message',
    alias: 'messages',
    summary: 'Send a message to the live sessions of a room',
    heading: resources,
    load: async () => (await import('./commands/message.ts')).defineMessage,
  },
  {
    name: 'serve',
    summary: 'Serve the embedded workspace over HTTP and WebSocket',
    heading: liveHeading,
    load: async () => (await import('./commands/serve.ts')).defineServe,
  },
  {
    name: 'join',
    summary: 'Take part in a room from the terminal',
    heading: liveHeading,
    load: async () => (await import('./commands/join.ts')).defineJoin,
  },
  {
    name: 'webhooks',
    alias: 'webhook',
    summary: 'Receive and verify webhooks, for people who write integrations',
    heading: liveHeading,
    load: async () => (await import('./commands/webhooks.ts')).defineWebhooks,
  },
  {
    name: 'api',
    summary: 'Send any request to the service',
    heading: contract,
    load: async () => (await import('./commands/api.ts')).defineApi,
  },
  {
    name: 'openapi',
    summary: 'Print the contract as an OpenAPI document',
    heading: contract,
    load: async () => (await import('./commands/openapi.ts')).defineOpenapi,
  },
  {
    name: 'auth',
    summary: 'Log in to a service, log out, see which key is used',
    heading: setup,
    load: async () => (await import('./commands/auth.ts')).defineAuth,
  },
  {
    name: 'profiles',
    alias: 'profile',
    summary: 'Switch between services',
    heading: setup,
    load: async () => (await import('./commands/profiles.ts')).defineProfiles,
  },
  {
    name: 'config',
    summary: 'See and change settings',
    heading: setup,
    load: async () => (await import('./commands/config.ts')).defineConfig,
  },
  {
    name: 'help',
    summary: 'Help on a command, or on exit-codes, environment or formatting',
    heading: setup,
    load: async () => (await import('./commands/help.ts')).defineHelp,
  },
]

function globalFlags(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'how to print results').choices(formats))
    .option('--json', 'the same as --output json')
    .option('--columns <names>', 'fields to show in a table or in CSV, as in id,name')
    .option('--no-header', 'leave out the header of a table or of CSV')
    .option('--profile <name>', 'use this profile')
    .option('--local', 'use the embedded service, on this machine')
    .option('--base-url <url>', 'address of the service, as in https://meet.example.com/v1')
    .option('--timeout <seconds>', 'deadline of each call, retries included (default 30)')
    .option('--retries <n>', 'how often to repeat a call that failed and may be repeated (default 2)')
    .option('--dry-run', 'show each write instead of sending it')
    .option('--curl', 'show the request as a curl command instead of sending it')
    .option('-y, --yes', 'answer yes to questions')
    .option('--allow-write', 'change things through a protected profile')
    .option('-q, --quiet', 'no notices on standard error')
    .option('--verbose', 'say what is sent')
    .option('--no-color', 'no colours')
}

/** Shows neither aliases in lists of commands nor two names in a usage line. */
class PlainHelp extends Help {
  /** Flags with long names leave little, and half a line is better than one that runs over. */
  override minWidthToWrap = 20

  override subcommandTerm(command: Command): string {
    // The arguments of a group are known only once it is loaded.
    if (!command.parent?.parent) return command.name()
    const names = command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return argument.required ? `<${name}>` : `[${name}]`
    })
    return [command.name(), ...names].join(' ')
  }

  override commandUsage(command: Command): string {
    const path: string[] = []
    for (let at: Command | null = command; at; at = at.parent) path.unshift(at.name())
    return `${path.join(' ')} ${command.usage()}`
  }
}

class Root extends Command {
  override createCommand(name?: string): Command {
    return new Root(name)
  }

  /** Commander offers aliases as suggestions; ours are hidden. */
  override alias(): string
  override alias(name: string): this
  override alias(name?: string): this | string {
    return name === undefined ? '' : super.alias(name)
  }

  override createHelp(): Help {
    return Object.assign(new PlainHelp(), this.configureHelp())
  }
}

/** `--dry-run` and `--curl` are about requests; a command that sends none must not do its work all the same. */
function changesOnlyThisMachine(act: Act): Act {
  return (work) =>
    act(async (context, ...args: never[]) => {
      const { dryRun, curl } = context.flags
      if (dryRun || curl)
        throw new UsageError(`${dryRun ? '--dry-run' : '--curl'} is for commands that send requests`)
      await work(context, ...(args as never))
    })
}

/** What the words of a command line are, global flags and their values apart. */
export function operandsOf(argv: readonly string[]): string[] {
  const words = argv.filter((word) => !helpFlags.includes(word))
  return globalFlags(new Command().exitOverride().configureOutput({ outputError: () => {} })).parseOptions(
    words,
  ).operands
}

export const helpFlags = ['-h', '--help']

/** The parts of the tree to load: one group for a command line, all of them for the reference. */
export type Wanted = 'all' | readonly string[]

/**
 * The command tree, with the wanted groups defined and the others named.
 * @param write receives what Commander prints to standard output: help and the version
 */
export async function buildProgram(
  host: Host,
  act: Act,
  write: (text: string) => void,
  wanted: Wanted,
): Promise<Command> {
  const root = new Root('meetroom')
    .description('Administer a Meeting Room Service: rooms, members, users, sessions, pages and messages.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'help on a command')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => widthOf(host.stdout, host.env) ?? 100,
    })
  globalFlags(root)
  root.addHelpText(
    'after',
    `
Examples:
  $ meetroom --local rooms create --name 'First room' --type open
  $ meetroom --local rooms list
  $ meetroom auth login --base-url https://meet.example.com/v1
  $ meetroom rooms list --active --json`,
  )
  for (const { name, alias, summary, heading, load } of groups) {
    const group = root.command(name).summary(summary).description(`${summary}.`).helpGroup(heading)
    if (alias) group.alias(alias)
    const chosen =
      wanted === 'all' || wanted.includes(name) || (alias !== undefined && wanted.includes(alias))
    if (chosen) (await load())(group, heading === setup ? changesOnlyThisMachine(act) : act)
    if (name === 'help') continue
    for (const command of group.commands)
      command.addHelpText('after', '\nGlobal options work here too: meetroom --help lists them.')
  }
  return root
}
