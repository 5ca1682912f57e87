/** PowerShell variables by name, such as `env:TEMP`. */
export type Variables = Readonly<Record<string, string>>

/**
 * Splits a PowerShell line, up to a pipe.
 * @throws {Error} for unknown variables, and for words that PowerShell might change
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

/** Functions that join words to the command line that PowerShell passes to a program. */
export const commandLines = {
  /** PowerShell up to 7.2 and Windows PowerShell: empty words are lost, and nothing is escaped. */
  old: (words: readonly string[]) =>
    words
      .filter((word) => word !== '')
      .map((word) => (/\s/.test(word) ? `"${word}"` : word))
      .join(' '),
  /** PowerShell 7.3 and newer: quotes are escaped, and empty words are kept. */
  new: (words: readonly string[]) =>
    words
      .map((word) =>
        /[\s"]/.test(word) || word === ''
          ? `"${word.replace(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '\\"')}"`
          : word,
      )
      .join(' '),
}

/** Splits a command line as Microsoft’s C runtime does. */
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
      // After an odd number of backslashes, the quote is a literal character.
      if (slashes.length % 2 === 1) {
        word += '"'
        i++
      }
    } else if (line.charAt(i) === '"') {
      word ??= ''
      // Two quotes within quotes are one literal quote.
      if (quoted && line.charAt(i + 1) === '"') word += line.charAt(++i)
      else quoted = !quoted
    } else if (!quoted && /[ \t]/.test(line.charAt(i))) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + line.charAt(i)
  }
  return word === undefined ? words : [...words, word]
}

/** Returns true if cmd.exe, which runs `.cmd` files, interprets a part of a command line. */
export function meansSomethingToCmd(line: string): boolean {
  return /%/.test(line) || /[&|<>^]/.test(line.replace(/"[^"]*"/g, ''))
}
