import { resources } from '../../api/resources.ts'
import { type Hint, suggest } from '../../errors.ts'
import { describeFixedField, isSetOnlyAtCreation } from '../kernel/body.ts'
import { listOptions, type MeetroomCommand } from '../kernel/meetroom-command.ts'
import { quoteWord } from '../output/hint-text.ts'
import { splitOperands } from './operands.ts'
import { isReading, suggestAll, withoutYes } from './usage-problem.ts'

/** Explains unknown flags that another name cannot correct; undefined for other flags. */
export function explainForeignFlag(
  flag: string,
  command: MeetroomCommand,
  words: readonly string[],
  rest: readonly string[],
): Hint | undefined {
  const has = (long: string) => listOptions(command).some((option) => option.long === long)
  const at = rest.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
  const others = rest.toSpliced(at, 1)
  const value = rest[at]?.includes('=') ? rest[at].slice(flag.length + 1) : (rest[at + 1] ?? '-')
  const withoutValue = rest.toSpliced(at, rest[at]?.includes('=') ? 1 : 2)
  if (/^(-k|--insecure|--no-check-certificate|--(insecure-)?skip-tls-verify)$/.test(flag))
    return 'certificates are always checked; to trust your own authority, point NODE_EXTRA_CA_CERTS at a file with its certificate'
  if (flag === '--reverse' && has('--sort') && isReading(command)) {
    const sort = others.indexOf('--sort')
    // Without --sort, the embedded service lists the newest items first.
    if (sort < 0) return ['did you mean: ', suggest([...words, ...others, '--sort', 'created_at'])]
    return [
      'a minus sign before a field means descending: ',
      suggest([...words, ...others.toSpliced(sort, 2), `--sort=-${others[sort + 1]}`]),
    ]
  }
  if (words.join(' ') === 'message send' && /^--(to|user|member|as)$/.test(flag))
    return 'a message goes to everybody in the room, not to one person'
  const day = /^\d{4}-\d\d-\d\d/.exec(value)?.[0]
  if (
    words.join(' ') === 'sessions list' &&
    /^--(da(te|y)|from|since|period)$/.test(flag) &&
    day !== undefined
  )
    return ['report past meetings with: ', suggest(['sessions', 'report', ...withoutValue, '--period', day])]
  if (words.join(' ') === 'usage' && /^--(from|since|start)$/.test(flag) && day !== undefined)
    return ['usage is reported per month: ', suggest(['usage', '--month', day.slice(0, 7)])]
  if (words.join(' ') === 'users offboard' && /^--(to|transfer-to|new-owner)$/.test(flag))
    return [
      'hand the rooms over first: ',
      suggest(['users', 'hand-over', ...others.filter((word) => !word.startsWith('-'))]),
    ]
  if (words.join(' ') === 'api' && /^(-X|--(request|method))$/.test(flag))
    return ['type: ', suggest([...words, value.toUpperCase(), ...withoutValue])]
  const isFileMissing =
    command.registeredArguments[0]?.name() === 'file' && splitOperands(others)[0].length < 2
  if (/^(-f|--file(name)?)$/.test(flag) && isFileMissing && rest[at] === flag && value !== '-')
    return ['pass the file without a flag: ', suggest([...words, ...others])]
  if (words.join(' ') === 'message send' && /^--all(-\w+)?$/.test(flag)) {
    const [[text], flagsOnly] = splitOperands(others)
    return suggestAll(command, words, [], text === undefined ? flagsOnly : ['--text', text, ...flagsOnly])
  }
  if (flag === '--all' && has('--all-rooms') && !isReading(command) && splitOperands(others)[0].length === 0)
    return ['did you mean: ', suggest([...words, ...withoutYes(rest.with(at, '--all-rooms')), '--dry-run'])]
  if (/^(-f|-w|--follow|--watch)$/.test(flag) && command.effect === 'stays')
    return ['the command runs until you stop it: ', suggest([...words, ...others])]
  if (
    words.join(' ') === 'api' &&
    words.length + 1 < rest.length &&
    /^--[a-z_]+$/.test(flag) &&
    /^\w+$/.test(value)
  )
    return [
      'pass a field with: ',
      suggest([...words, ...withoutValue, '--field', `${flag.slice(2)}=${value}`]),
    ]
  if (words[0] === 'users' && /^--(pass(word)?|pw|passwort)$/.test(flag))
    return ['users have no password; a link lets a user in: ', suggest(['members', 'links', '--help'])]
  if (/^--all(-\w+)?$/.test(flag) && has('--where') && !isReading(command))
    return suggestAll(command, words, ...splitOperands(others))
  // Commands without `--limit` print all items of their selection.
  if (flag === '--all' && has('--where') && !has('--limit'))
    return ['did you mean: ', suggest([...words, ...others])]
  if (words.join(' ') === 'rooms update' && flag === '--status' && /^(active|terminated)$/.test(value))
    return [
      'did you mean: ',
      suggest(['rooms', value === 'active' ? 'reopen' : 'terminate', ...withoutValue]),
    ]
  const format = /.\.(csv|tsv|json|ndjson)$/i.exec(value)?.[1]?.toLowerCase()
  if (
    /^(-f|--(out-?|output-)?file|--out)$/.test(flag) &&
    !has('--out') &&
    isReading(command) &&
    format !== undefined
  )
    return [
      'write a file with: ',
      suggest([...words, ...withoutValue, '-o', format]),
      ` > ${quoteWord(value)}`,
    ]
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
