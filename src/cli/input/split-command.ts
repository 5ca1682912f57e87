/** A command line taken apart as sh does it: quotes and backslashes, and nothing else. Nothing is expanded. */
export interface SplitCommand {
  words: readonly string[]
  /** Where the last word begins. */
  start: number
  /** What the line ends within: a quote, or behind a backslash; empty where it is complete. */
  open: '' | "'" | '"' | '\\'
  /** The first character that means something else to a shell, such as a pipe or a variable. */
  special: string | undefined
}

/**
 * Takes a line apart.
 * @param line may end anywhere, in the middle of a word too; a blank at its end begins an empty word
 */
export function splitWords(line: string): SplitCommand {
  const words = ['']
  let start = 0
  let open: SplitCommand['open'] = ''
  let special: string | undefined
  const add = (text: string) => words.push((words.pop() ?? '') + text)
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i)
    if (open === '\\') open = ''
    else if (open === '' && /\s/.test(character)) {
      // Two blanks are no word; two quotes are one, and an empty one.
      if (i > start) words.push('')
      start = i + 1
      continue
    } else if (character === open) {
      open = ''
      continue
    } else if (open === '' && /['"\\]/.test(character)) {
      open = character as SplitCommand['open']
      continue
    } else if (open === '"' && character === '\\' && /["\\$`]/.test(line.charAt(i + 1))) {
      i++
      add(line.charAt(i))
      continue
    } else if (isSpecial(character, open, i === start)) special ??= character
    add(character)
  }
  return { words, start, open, special }
}

function isSpecial(character: string, open: SplitCommand['open'], isFirst: boolean): boolean {
  if (open === "'") return false
  if (character === '$' || character === '`') return true
  return open === '' && (/[|&;<>()*?[\]{}]/.test(character) || (isFirst && /[~#]/.test(character)))
}
