import type { Command } from 'commander'
import type { Host } from '../../host.ts'
import { version } from '../../version.ts'
import { addGlobalFlags } from '../kernel/flags.ts'
import { type DefineAction, MeetroomCommand, PlainHelp } from '../kernel/meetroom-command.ts'
import { readTerminalWidth } from '../output/terminal/style.ts'
import { type Group, groups, hidden, ownTopics } from './groups.ts'

type WantedGroups = 'all' | readonly string[]

/** @param write function that receives the standard output of Commander: the help or the version */
export async function buildProgram(
  host: Host,
  defineAction: DefineAction,
  write: (text: string) => void,
  wanted: WantedGroups,
): Promise<MeetroomCommand> {
  const root = new MeetroomCommand('meetroom', defineAction)
    .description('Administer a Meeting Room Service: rooms, members, users, sessions, pages and messages.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: () => {},
      outputError: () => {},
      // Skips the removal of colors in Commander, because the help has no colors.
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
      defineGroup(command, define)
      addReferences(command, topic)
    }
  }
  await define(wanted)
  // Only `help` and command lines without a known command print the root help.
  if (!named.some(({ isDefined, name }) => isDefined && name !== 'help')) {
    const { topicSummaries } = await import('../help/topics.ts')
    root.addHelpText('after', () => formatRootHelp(root, topicSummaries))
  }
  return root
}

function nameGroup(root: MeetroomCommand, { name, alias, summary, heading }: Group): MeetroomCommand {
  const command = root
    .command(name, { hidden: heading === hidden })
    .summary(summary)
    .description(`${summary}.`)
    .helpGroup(heading)
  if (alias) command.alias(alias)
  return command
}

const commonFlags = ['--output', '--json', '--profile', '--local', '--dry-run', '--yes', '--quiet', '--help']

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
