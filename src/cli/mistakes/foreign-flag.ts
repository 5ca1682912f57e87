import { resources } from '../../api/resources.ts'
import { type Hint, suggest, suggestExample } from '../../errors.ts'
import { describeFixedField, isSetOnlyAtCreation } from '../kernel/body.ts'
import { listOptions, type MeetroomCommand } from '../kernel/meetroom-command.ts'
import { isReference, splitOperands } from './operands.ts'
import { isReading, suggestAll, suggestFile, withoutYes } from './usage-problem.ts'

interface ForeignFlag {
  flag: string
  command: MeetroomCommand
  words: readonly string[]
  has: (long: string) => boolean
  /** Value of the flag; `-` if there is none. */
  value: string
  /** Position of the flag in the typed words. */
  at: number
  /** Typed words without the flag. */
  others: readonly string[]
  /** Typed words without the flag and its value. */
  withoutValue: readonly string[]
}

interface FlagRule {
  /** Command or group; undefined for all commands. */
  of?: string
  flag: RegExp
  explain: (typed: ForeignFlag) => Hint | undefined
}

/** Field by which `--sort` lists the oldest items first, by group. */
const firstFields: Readonly<Record<string, string>> = {
  ...{ rooms: 'created_at', users: 'created_at', members: 'created_at' },
  ...{ sessions: 'connected_at', audit: 'time' },
}

const isFlag = (word: string) => word.startsWith('-')

const dayOf = (value: string) => /^\d{4}-\d\d-\d\d/.exec(value)?.[0]

/** Rules for unknown flags that another name cannot correct. The first rule that explains a flag applies. */
const rules: readonly FlagRule[] = [
  {
    flag: /^(-k|--insecure|--no-check-certificate|--(insecure-)?skip-tls-verify)$/,
    explain: () =>
      'certificates are always checked; to trust your own authority, point NODE_EXTRA_CA_CERTS at a file with its certificate',
  },
  {
    flag: /^--reverse$/,
    explain({ command, words, has, others }) {
      if (!has('--sort') || !isReading(command)) return undefined
      const sort = others.indexOf('--sort')
      // Without --sort, the embedded service lists the newest items first.
      const oldestFirst = words[1] === 'list' ? firstFields[words[0] ?? ''] : undefined
      if (sort < 0)
        return oldestFirst && ['did you mean: ', suggest([...words, ...others, '--sort', oldestFirst])]
      const sorted = [...others.toSpliced(sort, 2), `--sort=-${others[sort + 1]}`]
      return ['a minus sign before a field means descending: ', suggest([...words, ...sorted])]
    },
  },
  {
    of: 'message send',
    flag: /^--(to|user|member|as)$/,
    explain: ({ words, value, withoutValue }) =>
      isReference(value)
        ? ['did you mean: ', suggest([...words, value, ...withoutValue])]
        : 'a message goes to everybody in the room, not to one person',
  },
  {
    of: 'message send',
    flag: /^--all(-\w+)?$/,
    explain({ command, words, others }) {
      const [[text], flagsOnly] = splitOperands(others)
      return suggestAll(command, words, [], text === undefined ? flagsOnly : ['--text', text, ...flagsOnly])
    },
  },
  {
    of: 'sessions list',
    flag: /^--(da(te|y)|from|since|period)$/,
    explain({ value, withoutValue }) {
      const day = dayOf(value)
      const period = day === undefined ? ['--from', value] : ['--period', day]
      return value.startsWith('-')
        ? undefined
        : ['report past meetings with: ', suggest(['sessions', 'report', ...withoutValue, ...period])]
    },
  },
  {
    flag: /^--(today|yesterday|(this|last)-(week|month|year))$/,
    explain({ flag, words, has, others }) {
      const report = words.join(' ') === 'sessions list' ? ['sessions', 'report'] : words
      if (report === words && !has('--period')) return undefined
      return ['did you mean: ', suggest([...report, ...others, '--period', flag.slice(2)])]
    },
  },
  {
    of: 'auth logout',
    flag: /^--all(-profiles)?$/,
    explain: ({ words }) => [
      'log out of each profile: ',
      suggestExample([...words, '--profile', 'NAME']),
      '; list the profiles with: ',
      suggest(['profiles', 'list']),
    ],
  },
  {
    of: 'rooms create',
    flag: /^--(pass(word)?|pw|pin|passwort)$/,
    explain: () => 'rooms have no password; only members can join a room with --type private',
  },
  {
    flag: /^--(first|given|last|family|sur)-?name$/,
    explain({ words, has, others, flag, value, withoutValue }) {
      const other = withoutValue.findIndex((word) => /^--(first|given|last|family|sur)-?name$/.test(word))
      const [, name = '-'] = withoutValue.slice(other)
      if (!has('--name') || others.includes('--name') || other < 0 || [name, value].some(isFlag))
        return undefined
      const names = /^--(first|given)/.test(flag) ? [value, name] : [name, value]
      const left = withoutValue.toSpliced(other, 2)
      return ['did you mean: ', suggest([...words, ...left, '--name', names.join(' ')])]
    },
  },
  {
    of: 'usage',
    flag: /^--(from|since|start|year)$/,
    explain({ value }) {
      const month = /^\d{4}$/.test(value) ? `${value}-01` : dayOf(value)?.slice(0, 7)
      return month && ['usage is reported per month: ', suggest(['usage', '--month', month])]
    },
  },
  {
    of: 'users offboard',
    flag: /^--(to|transfer-to|new-owner|replacement|successor)$/,
    explain: ({ others }) => [
      'hand the rooms over first: ',
      suggest(['users', 'hand-over', ...others.filter((word) => !word.startsWith('-'))]),
    ],
  },
  {
    of: 'users',
    flag: /^--(pass(word)?|pw|passwort)$/,
    explain: () => [
      'users have no password; a link lets a user in: ',
      suggest(['members', 'links', '--help']),
    ],
  },
  {
    of: 'api',
    flag: /^(-X|--(request|method))$/,
    explain: ({ words, value, withoutValue }) => [
      'type: ',
      suggest([...words, value.toUpperCase(), ...withoutValue]),
    ],
  },
  {
    of: 'rooms update',
    flag: /^--status$/,
    explain({ value, withoutValue }) {
      const verb = { active: 'reopen', terminated: 'terminate' }[value]
      return verb && ['did you mean: ', suggest(['rooms', verb, ...withoutValue])]
    },
  },
  {
    of: 'serve',
    flag: /^(-d|--(detach|daemon|background))$/,
    explain: ({ words, value, others }) =>
      value.startsWith('-')
        ? ['serve in the background with: ', suggest([...words, ...others]), ' &']
        : undefined,
  },
  {
    flag: /^(-f|-w|--follow|--watch)$/,
    explain: ({ command, words, others }) =>
      command.effect === 'stays'
        ? ['the command runs until you stop it: ', suggest([...words, ...others])]
        : undefined,
  },
  {
    flag: /^(-f|--file(name)?)$/,
    explain({ command, words, value, others }) {
      const isMissing =
        command.registeredArguments[0]?.name() === 'file' && splitOperands(others)[0].length < 2
      return isMissing && others.includes(value) && value !== '-'
        ? ['pass the file without a flag: ', suggest([...words, ...others])]
        : undefined
    },
  },
  {
    flag: /^--all(-\w+)?$/,
    explain({ command, words, has, at, others }) {
      const [operands, flagsOnly] = splitOperands(others)
      const isInAllRooms = has('--all-rooms') && operands.length === 0
      const fixed = isInAllRooms ? others.toSpliced(at, 0, '--all-rooms') : others
      if (!has('--where')) return undefined
      if (!isReading(command))
        return isInAllRooms
          ? ['did you mean: ', suggest([...words, ...withoutYes(fixed), '--dry-run'])]
          : suggestAll(command, words, operands, flagsOnly)
      // Commands without `--limit` print all items of their selection.
      return has('--limit') ? undefined : ['did you mean: ', suggest([...words, ...fixed])]
    },
  },
  {
    flag: /^(-f|--(out-?|output-)?file|--out)$/,
    explain({ command, words, has, value, withoutValue }) {
      if (has('--out') || !isReading(command)) return undefined
      return suggestFile(command, words, withoutValue, value)
    },
  },
  {
    of: 'api',
    flag: /^--[a-z_]+$/,
    explain: ({ flag, words, value, withoutValue }) =>
      withoutValue.length > 1 && /^\w+$/.test(value)
        ? [
            'pass a field with: ',
            suggest([...words, ...withoutValue, '--field', `${flag.slice(2)}=${value}`]),
          ]
        : undefined,
  },
]

/** Explains unknown flags that another name cannot correct; undefined for other flags. */
export function explainForeignFlag(
  flag: string,
  command: MeetroomCommand,
  words: readonly string[],
  rest: readonly string[],
): Hint | undefined {
  const at = rest.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
  const isJoined = rest[at]?.includes('=') === true
  const typed: ForeignFlag = {
    flag,
    command,
    words,
    at,
    has: (long) => listOptions(command).some((option) => option.long === long),
    value: isJoined ? (rest[at]?.slice(flag.length + 1) ?? '-') : (rest[at + 1] ?? '-'),
    others: rest.toSpliced(at, 1),
    withoutValue: rest.toSpliced(at, isJoined ? 1 : 2),
  }
  const name = words.join(' ')
  for (const rule of rules) {
    const isOf = rule.of === undefined || rule.of === name || rule.of === words[0]
    const hint = isOf && rule.flag.test(flag) ? rule.explain(typed) : undefined
    if (hint) return hint
  }
  return undefined
}

export function explainFixedField([group, verb]: readonly string[], flag: string): string | undefined {
  const resource = Object.values(resources).find(({ plural }) => plural === group)
  const field = flag.slice(2).replaceAll('-', '_')
  if (verb === 'update' && group === 'rooms' && /^webhook_/.test(field))
    return describeFixedField('room', 'webhook')
  const fixed = field === 'id' ? resource?.id : field
  return verb === 'update' && resource && isSetOnlyAtCreation(resource.fields, fixed ?? field)
    ? describeFixedField(resource.name, fixed ?? field)
    : undefined
}
