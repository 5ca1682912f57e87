/** Quotes a word for POSIX shells, unless it needs no quotes. */
export function quoteForShell(word: string): string {
  return /^(?!=)[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
