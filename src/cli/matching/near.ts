import { findClosest } from '../../api/closest.ts'
import { quoteNames } from '../../api/plural.ts'
import type { MeetroomError } from '../../errors.ts'
import { fieldWords, valueWords } from './meanings.ts'

/** @param maxEdits from 0 (finds only the word itself or its synonym) to 2 */
export function findNearField(word: string, fields: readonly string[], maxEdits = 2): string | undefined {
  const name = word.replaceAll(/[- ]/g, '_').toLowerCase()
  if (fields.includes(name)) return name
  return (
    findMeant(name, fieldWords, fields) ?? (maxEdits > 0 ? findClosest(name, fields, maxEdits) : undefined)
  )
}

export function findNearChoice(word: string, choices: readonly string[]): string | undefined {
  const folded = foldChoice(word)
  const [started, ...starts] = choices.filter((choice) => choice.startsWith(folded))
  const [ended, ...ends] = choices.filter((choice) => choice.toLowerCase().endsWith(folded))
  return (
    findSynonym(folded, choices) ??
    (folded !== '' && starts.length === 0 ? started : undefined) ??
    findClosest(word, choices) ??
    (folded.length > 3 && ends.length === 0 ? ended : undefined)
  )
}

/** Lowercases a word, and removes an ending such as “/in” in “Schüler/in”. */
const foldChoice = (word: string) => word.toLowerCase().replace(/[/*:_]-?in$/, '')

/** Finds the choice that has `word` as a synonym. The word must be in lower case. */
export function findSynonym(word: string, choices: readonly string[]): string | undefined {
  return findMeant(word, valueWords, choices)
}

/** Adds the probable words to an error for unknown words, if every word has one. */
export function correctMisspelling(error: MeetroomError): void {
  const { misspelling } = error
  if (!misspelling) return
  const { kind, words, known, correct } = misspelling
  const findNear = kind === 'field' ? findNearField : findNearChoice
  const near = words.flatMap((word) => findNear(word, known) ?? [])
  if (near.length === 0) return
  const meant = `did you mean ${quoteNames(near).join(', ')}?`
  error.hint = kind === 'field' && error.hint !== undefined ? [`${meant} `, error.hint] : meant
  if (near.length === words.length) error.correction = correct((word) => findNear(word, known) ?? word)
}

function findMeant(
  word: string,
  synonyms: Readonly<Record<string, string>>,
  names: readonly string[],
): string | undefined {
  return Object.keys(synonyms).find(
    (name) => names.includes(name) && synonyms[name]?.split(' ').includes(word),
  )
}
