/** Describes additional text in a pasted key, such as quotes; undefined if none is found. */
export function describeSurplus(text: string): string | undefined {
  if (/^(authorization:\s*)?bearer\s/i.test(text)) return 'the word “Bearer”'
  if (/^["'`\u2018-\u201e].*["'`\u2018-\u201e]$/.test(text)) return 'quotes'
  if (/^(export )?[A-Z_]+=/.test(text)) return 'the name of a variable'
  return /\s/.test(text) ? 'a space or a line break' : undefined
}
