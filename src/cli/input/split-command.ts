/** Command line split into words by the quoting rules of sh. */
interface SplitCommand {
  words: readonly string[]
  start: number
  /** Quote or backslash still open at the end of the line. */
  open: '' | "'" | '"' | '\\'
  special: string | undefined
}

/** Splits a command line that may end within a word. Trailing white space starts an empty word. */
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
