/** Variables of PowerShell by their names, as `env:TEMP`. */
export type Variables = Readonly<Record<string, string>>

/**
 * The words of a line of PowerShell that calls a program, up to a pipe. What PowerShell might change on the way, such as a
 * number or a list without quotes, is refused.
 */
export function readLine(line: string, variables: Variables): string[] {
  const words: string[] = []
  const token = /\s*(?:'((?:[^']|'')*)'|"([^"]*)"|([^\s'"]+))(?=\s|$)/y
  while (token.lastIndex < line.trimEnd().length) {
    const from = token.lastIndex
    const [all, single, double, bare] = token.exec(line) ?? []
    if (all === undefined) throw new Error(`PowerShell reads this as more than a word: ${line.slice(from)}`)
    if (bare === '|') break
    if (bare !== undefined && !/^-{0,2}[A-Za-z][\w-]*$/.test(bare)) throw new Error(`quote this: ${bare}`)
    words.push(
      single?.replaceAll("''", "'") ?? (double === undefined ? bare : expand(double, variables)) ?? '',
    )
  }
  return words
}

function expand(text: string, variables: Variables): string {
  if (text.includes('`')) throw new Error(`a backtick is an escape: ${text}`)
  return text.replace(/\$((?:env:)?\w*)/g, (all, name: string) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`${all} is not known: ${text}`)
    return value
  })
}

/** How PowerShell hands words to a program: as one line, which the program takes apart. */
export const commandLines = {
  /** Up to 7.2, Windows PowerShell included: blanks are quoted, and nothing is escaped. */
  old: (words: readonly string[]) =>
    words
      .filter((word) => word !== '')
      .map((word) => (/\s/.test(word) ? `"${word}"` : word))
      .join(' '),
  /** From 7.3 on. */
  new: (words: readonly string[]) =>
    words
      .map((word) =>
        /[\s"]/.test(word) || word === ''
          ? `"${word.replace(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '\\"')}"`
          : word,
      )
      .join(' '),
}

/** The words that a program of Windows takes from its command line, as CommandLineToArgvW does behind the first. */
export function argvOf(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quoted = false
  for (let i = 0; i < line.length; i++) {
    const [slashes = ''] = /^\\*/.exec(line.slice(i)) ?? []
    const behind = line.charAt(i + slashes.length)
    if (slashes !== '' && behind === '"') {
      word = (word ?? '') + '\\'.repeat(slashes.length / 2)
      i += slashes.length - 1
      // An odd one makes the quote a character.
      if (slashes.length % 2 === 1) {
        word += '"'
        i++
      }
    } else if (line.charAt(i) === '"') {
      word ??= ''
      // Two of them within quotes are one character.
      if (quoted && line.charAt(i + 1) === '"') word += line.charAt(++i)
      else quoted = !quoted
    } else if (!quoted && /[ \t]/.test(line.charAt(i))) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + line.charAt(i)
  }
  return word === undefined ? words : [...words, word]
}

/** Whether cmd.exe, which runs `.cmd` files, takes something in a command line for its own. */
export function meansSomethingToCmd(line: string): boolean {
  return /%/.test(line) || /[&|<>^]/.test(line.replace(/"[^"]*"/g, ''))
}
