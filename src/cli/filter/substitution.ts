import { UsageError } from '../../errors.ts'
import { compilePattern } from './pattern.ts'

export type Substitution = (text: string) => string

/**
 * Parses a sed substitution, such as `s/^Maths 7/Maths 8/`.
 * @throws {UsageError} for an invalid or unsupported substitution
 */
export function parseSubstitution(given: string, flag: string): Substitution {
  const separator = given.charAt(1)
  const [start, pattern = '', text, flags, ...rest] = splitParts(given, separator)
  const isSeparator = /^[^\w\s\\]$/.test(separator)
  if (
    start !== 's' ||
    !isSeparator ||
    pattern === '' ||
    text === undefined ||
    !isFlags(flags) ||
    rest.length > 0
  )
    throw new UsageError(`${flag} must be s/PATTERN/TEXT/, not “${given}”`, {
      hint: `as in: ${flag} 's/^Maths 7/Maths 8/'; add g for all matches and i to ignore case`,
    })
  // An escaped separator that has no meaning in patterns is a literal character.
  const source = isSyntax(separator) ? pattern : pattern.replaceAll(`\\${separator}`, separator)
  const compiled = compilePattern(source, `${flag} ${given}`, flags.includes('i'))
  const groups = compiled.groupCount()
  const tooHigh = [...text.matchAll(groupMark)].find(([, group]) => Number(group ?? 0) > groups)
  if (tooHigh)
    throw new UsageError(`${flag} ${given}: the pattern has no group ${tooHigh[1]} for ${tooHigh[0]}`)
  const replace = (...match: unknown[]) =>
    text.replace(groupMark, (mark, group?: string) =>
      group === undefined ? mark.charAt(1) : String(match[Number(group)] ?? ''),
    )
  return (name) => {
    const matcher = compiled.matcher(name)
    return flags.includes('g') ? matcher.replaceAll(replace) : matcher.replaceFirst(replace)
  }
}

/** Pattern of a group reference such as `\1` or `$1`, or of an escaped character. */
const groupMark = /[\\$](\d)|\\[\s\S]/g

const isFlags = (flags: string | undefined): flags is string => flags !== undefined && /^[gi]*$/.test(flags)

const isSyntax = (character: string) => /[/^$.*+?()[\]{}|]/.test(character)

/** Splits a text at unescaped separators. */
function splitParts(text: string, separator: string): string[] {
  const parts = ['']
  for (const [part] of text.matchAll(/\\[\s\S]|[\s\S]/gu))
    if (part === separator) parts.push('')
    else parts.push(`${parts.pop()}${part}`)
  return parts
}
