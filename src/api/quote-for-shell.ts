/** Quotes a word for POSIX shells if the word needs quotes. */
export function quoteForShell(word: string): string {
  return /^(?!=)[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
