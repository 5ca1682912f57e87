import { findClosest } from '../../../api/closest.ts'
import { UsageError } from '../../../errors.ts'
import { fieldWords, valueWords } from './synonyms.ts'

/** @param maxEdits from 0 (finds only the word itself or its synonym) to 2 */
export function findNearField(word: string, fields: readonly string[], maxEdits = 2): string | undefined {
  const name = word.replaceAll('-', '_').toLowerCase()
  if (fields.includes(name)) return name
  const meant = Object.hasOwn(fieldWords, name) ? fieldWords[name] : undefined
  return (
    meant?.find((field) => fields.includes(field)) ??
    (maxEdits > 0 ? findClosest(name, fields, maxEdits) : undefined)
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

function correctFields(value: string, field: string, near: string, fields: readonly string[]): string {
  if (!/^-?[\w.]+(,-?[\w.]+)*$/.test(value)) return value.replace(field, near)
  const corrected = value.replace(/[\w.]+/g, (name) => findNearField(name, fields) ?? name)
  return corrected === value ? near : corrected
}

export function findNearChoice(word: string, choices: readonly string[]): string | undefined {
  return findSynonym(foldChoice(word), choices) ?? findClosest(word, choices)
}

/** Lowercases a word, and removes an ending such as “/in” in “Schüler/in”. */
const foldChoice = (word: string) => word.toLowerCase().replace(/[/*:_]-?in$/, '')

/** Finds the choice that has `word` as a synonym. The word must be in lower case. */
export function findSynonym(word: string, choices: readonly string[]): string | undefined {
  const meant = Object.hasOwn(valueWords, word) ? valueWords[word] : undefined
  return meant?.find((choice) => choices.includes(choice))
}
