import type { Command, Option } from 'commander'
import { type Hint, suggest } from '../../errors.ts'
import { toJson } from '../input/near-json.ts'
import { splitTyped, takesNextWord } from './typed.ts'

/** Closing quotes by opening quote. */
const closing: Readonly<Record<string, string>> = {
  ...{ '“': '”“', '”': '”', '„': '“”', '‘': '’', '’': '’', '‚': '‘’', '«': '»' },
  ...{ "'": "'", '"': '"' },
}

const opened = new RegExp(`^((?:[\\w.-]*(?:[=~<>]+|:))?)([${Object.keys(closing).join('')}])([\\s\\S]*)$`)
const dashed = /^[-\u2010-\u2015\u2212]+(?=\p{L})/u

interface Straightened {
  words: string[]
  /** True if all replaced characters are quotes that a shell interprets. */
  isUnread: boolean
  reason: string
}

/**
 * Explains typographic dashes, and quotes that the shell did not interpret.
 * @param isExplained true to return a hint only if a character is typographic
 */
export function explainShellWords(
  program: Command,
  argv: readonly string[],
  isExplained = false,
): Hint | undefined {
  const straight = straighten(argv)
  if (!straight || (isExplained && straight.isUnread)) return undefined
  const { words, rest } = splitTyped(program, straight.words)
  return rest.length === 0 ? straight.reason : [`${straight.reason}; type: `, suggest([...words, ...rest])]
}

/** Replaces typographic dashes, joins words within quotes, and removes the quotes; undefined if unchanged. */
function straighten(words: readonly string[]): Straightened | undefined {
  const found = new Set<string>()
  const straight: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const [dashes = ''] = dashed.exec(word) ?? []
    if (/[^-]/.test(dashes)) {
      found.add([...dashes].find((dash) => dash !== '-') ?? '')
      const name = word.slice(dashes.length)
      straight.push(`${name.length === 1 ? '-' : '--'}${name}`)
      continue
    }
    const [, before = '', quote = '', inside = ''] = opened.exec(word) ?? []
    const ends = closing[quote] ?? ''
    const end = [inside, ...words.slice(i + 1)].findIndex(
      (part) => part !== '' && ends.includes(part.at(-1) ?? '-'),
    )
    // A single word in double quotes may be JSON.
    if (quote === '' || end < 0 || (quote === '"' && end === 0)) {
      straight.push(word)
      continue
    }
    const text = [inside, ...words.slice(i + 1, i + 1 + end)].join(' ')
    for (const mark of [quote, text.at(-1) ?? '']) found.add(mark)
    straight.push(before + text.slice(0, -1))
    i += end
  }
  if (found.size === 0) return undefined
  const isUnread = [...found].every((mark) => `'"`.includes(mark))
  const marks = [...found].join(' and ')
  const reason = isUnread
    ? `the shell did not read ${marks} as a quote`
    : `a shell needs the ASCII characters - ' and ", not ${marks}`
  return { words: straight, isUnread, reason }
}

/** Flags whose value may consist of several words. */
const textFlags: ReadonlySet<string> = new Set([
  ...['--columns', '--data', '--field', '--image', '--member', '--name', '--query', '--rename', '--search'],
  ...['--set', '--sort', '--template', '--text', '--user', '--webhook-header', '--where'],
  ...['--from', '--to', '--since', '--until'],
])

/** Repeatable flags with values such as `name=Maths`. */
const pairFlags: ReadonlySet<string> = new Set(['--where', '--field', '--set'])

const condition = /^[\w.]+(==|!=|<=|>=|!~|=|<|>|~)./

/**
 * Joins a value that the shell split, as in `--name Maths 9`.
 * @param surplus number of operands that may belong to the value
 */
export function joinSplitValue(
  words: readonly string[],
  options: readonly Option[],
  surplus: number,
): string[] | undefined {
  const isFlag = (word = '') => word.startsWith('-') && word !== '-'
  for (let i = 0; i < words.length; i++) {
    const flag = words[i] ?? ''
    const option = isFlag(flag)
      ? options.find(({ long, short }) => flag === long || flag === short)
      : undefined
    if (!option?.long || !textFlags.has(option.long) || !takesNextWord(option, flag)) continue
    const end = i + 2 + surplus
    if (surplus < 1 || end > words.length || words.slice(i + 2, end).some(isFlag)) continue
    const parts = words.slice(i + 1, end)
    // A value with a space was quoted.
    if (/\s/.test(parts[0] ?? '')) continue
    const isList =
      (pairFlags.has(option.long) && parts.every((part) => condition.test(part))) ||
      (/^--(member|user)$/.test(option.long) &&
        parts.every((part) => /^[a-z\d][\w.-]*(:[a-z]+)?$/.test(part)))
    const joined = isList ? parts.flatMap((part) => [flag, part]) : [flag, joinWords(option.long, parts)]
    return [...words.slice(0, i), ...joined, ...words.slice(end)]
  }
  return undefined
}

function joinWords(flag: string, parts: readonly string[]): string {
  const text = parts.join(' ')
  if (flag === '--where') return text.replace(/^([\w.]+) ?(==|!=|<=|>=|!~|=|<|>|~) ?/, '$1$2')
  if (flag === '--set' || flag === '--field') return text.replace(/^([\w.]+)( ?= ?| )/, '$1=')
  if (/^--(from|to|since|until)$/.test(flag)) return text.replace(/^(\d+) ([wdhm])[a-z]*$/i, '$1$2')
  if (flag === '--sort') return text.replace(/^([\w.]+) desc\w*$/i, '-$1').replace(/ asc\w*$/i, '')
  if (flag === '--data') return toJson(parts) ?? text
  if (flag === '--columns') return parts.map((part) => part.replace(/^,|,$/g, '')).join(',')
  return text
}
