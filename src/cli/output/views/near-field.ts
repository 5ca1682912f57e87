import { findClosest } from '../../../api/closest.ts'
import { UsageError } from '../../../errors.ts'
import { fieldWords, valueWords } from './synonyms.ts'

/** @param maxEdits from 0 (finds only the word itself or its synonym) to 2 */
export function findNearField(word: string, fields: readonly string[], maxEdits = 2): string | undefined {
  const name = word.replaceAll(/[- ]/g, '_').toLowerCase()
  if (fields.includes(name)) return name
  return (
    findMeant(name, fieldWords, fields) ?? (maxEdits > 0 ? findClosest(name, fields, maxEdits) : undefined)
  )
}

/**
 * @param where start of the message, such as `--sort: `
 * @param value text that contains the field
 */
export function toUnknownFieldError(
  where: string,
  noun: string,
  field: string,
  value: string,
  fields: readonly string[],
): UsageError {
  const separated = value.split(/[\s;]+/)
  if (separated.length > 1 && separated.every((part) => fields.includes(part.replace(/^-/, ''))))
    return new UsageError(`${where}fields are separated by commas, not “${value}”`, {
      correction: [value, separated.join(',')],
    })
  const near = findNearField(field, fields)
  const meant = near === undefined ? '' : `did you mean “${near}”? `
  return new UsageError(`${where}no ${noun} has a field “${field}”`, {
    hint: `${meant}fields are ${fields.join(', ')}`,
    ...(near !== undefined && { correction: [value, correctFields(value, field, near, fields)] as const }),
  })
}

/**
 * Names all unknown columns in one error, and corrects all of them or none.
 * @param value typed names, separated by commas
 */
export function toUnknownColumnsError(
  noun: string,
  unknown: readonly string[],
  value: string,
  fields: readonly string[],
): UsageError {
  const [first = '', ...others] = unknown
  if (others.length === 0) return toUnknownFieldError('', noun, first, value, fields)
  const names = value.split(',').map((name) => name.trim())
  const corrected = names.map((name) => (unknown.includes(name) ? findNearField(name, fields) : name))
  const near = unknown.flatMap((name) => findNearField(name, fields) ?? [])
  const quote = (list: readonly string[]) => list.map((name) => `“${name}”`).join(', ')
  return new UsageError(`no ${noun} has the fields ${quote(unknown)}`, {
    hint: `${near.length === 0 ? '' : `did you mean ${quote(near)}? `}fields are ${fields.join(', ')}`,
    ...(!corrected.includes(undefined) && { correction: [value, corrected.join(',')] as const }),
  })
}

function correctFields(value: string, field: string, near: string, fields: readonly string[]): string {
  if (!/^-?[\w.]+(,-?[\w.]+)*$/.test(value)) return value.replace(field, near)
  const corrected = value.replace(/[\w.]+/g, (name) => findNearField(name, fields) ?? name)
  return corrected === value ? near : corrected
}

export function findNearChoice(word: string, choices: readonly string[]): string | undefined {
  const folded = foldChoice(word)
  const [ended, ...others] = choices.filter((choice) => choice.toLowerCase().endsWith(folded))
  const isEnd = folded.length > 3 && others.length === 0
  return findSynonym(folded, choices) ?? findClosest(word, choices) ?? (isEnd ? ended : undefined)
}

/** Lowercases a word, and removes an ending such as “/in” in “Schüler/in”. */
const foldChoice = (word: string) => word.toLowerCase().replace(/[/*:_]-?in$/, '')

/** Finds the choice that has `word` as a synonym. The word must be in lower case. */
export function findSynonym(word: string, choices: readonly string[]): string | undefined {
  return findMeant(word, valueWords, choices)
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
