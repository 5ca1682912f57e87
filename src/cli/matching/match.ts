import { findAllClosest } from '../../api/closest.ts'
import { addTo } from '../../api/group-by.ts'
import { toText } from '../../api/to-text.ts'
import { trimWhiteSpace } from '../input/white-space.ts'
import type { Item } from '../output/views/views.ts'

/** Field that can identify an item instead of its ID. */
export type NameField = 'name' | 'email'

/** Returns true if an item has exactly this name, or this email in any letter case. */
export function isNamed(item: Item, wanted: unknown, field: NameField = 'name'): boolean {
  return toExactKey(item[field], field) === toExactKey(wanted, field)
}

// Some services send a numeric name as a number.
function toExactKey(value: unknown, field: NameField): string {
  return field === 'email' ? toText(value).toLowerCase() : toText(value)
}

/** Returns a function that finds an ID that differs from a given ID only in letter case or leading zeros. */
export function createTwinFinder(ids: Iterable<string>): (id: string) => string | undefined {
  const fold = (id: string) => withoutLeadingZeros(id).toLowerCase()
  const byFolded = new Map<string, string[]>()
  for (const id of ids) byFolded.set(fold(id), [...(byFolded.get(fold(id)) ?? []), id])
  return (id) => byFolded.get(fold(id))?.find((other) => other !== id)
}

/** Removes the leading zeros of a number, as spreadsheets do. */
export const withoutLeadingZeros = (text: string): string => text.replace(/^0+(?=\d+$)/, '')

export function hasOtherCase(id: string, other: string): boolean {
  return id !== other && id.toLowerCase() === other.toLowerCase()
}

export const isSimilar = (text: string, other: string): boolean => foldText(text) === foldText(other)

/**
 * Returns keys that similar values share. “Müller” has two keys, because the name is also written “Muller”
 * and “Mueller”.
 */
export function toSimilarKeys(value: unknown, field: NameField): readonly string[] {
  const text = trimWhiteSpace(toText(value))
  if (field === 'email') return text === '' ? [] : [toExactKey(text, field)]
  const withUmlauts = text.normalize('NFC')
  const spellings = [withUmlauts, withUmlauts.replaceAll(/[\xe4\xf6\xfc]/gi, (letter) => `${letter}e`)]
  return [...new Set(spellings.map(foldWords))].filter((key) => key !== '')
}

function foldWords(text: string): string {
  const words = foldText(text).split(/[\s,]+/)
  return words
    .filter((word) => word !== '')
    .toSorted()
    .join(' ')
}

/** Returns a key that ignores case, accents and surrounding white space. */
export const toWordKey = (word: string): string => foldText(word.trim())

/** Finds the items that a text probably names, with increasingly tolerant comparisons. */
export function findLikely(items: readonly Item[], text: string, fields: readonly string[]): readonly Item[] {
  for (const fold of [foldText, withoutLeadingZeros, foldLetters])
    for (const field of fields) {
      const found = items.filter((item) => fold(toText(item[field])) === fold(text))
      if (found.length > 0 && fold(text) !== '') return found
    }
  const keys = toSimilarKeys(text, 'name')
  const named = items.filter((item) =>
    [item['name'], item[fields[0] ?? '']].some((value) =>
      toSimilarKeys(value, 'name').some((key) => keys.includes(key)),
    ),
  )
  if (named.length === 1) return named
  const typed = foldWords(text).split(' ')
  const containing = items.filter((item) => {
    const words = foldWords(toText(item['name'])).split(' ')
    return typed.every((word) => word.length > 2 && words.includes(word))
  })
  if (containing.length > 0) return containing
  const [first = ''] = fields
  // The end of an ID is missing in a narrow table.
  const cut = items.filter((item) => text.length >= minCutLength && toText(item[first]).startsWith(text))
  if (cut.length > 0) return cut
  // With two edits, “Fritz Kaiser” would find “Fritz Maier”.
  const candidates = items.map((item) => toText(item[first]))
  const closest = findAllClosest(text, candidates, 1)
  return items.filter((item) => closest.includes(toText(item[first])))
}

/** Minimum length of an incomplete ID, in characters. */
const minCutLength = 8

const foldLetters = (text: string) => foldText(text).replace(/[^\p{L}\p{N}]/gu, '')

/** Groups the IDs of items by name, because several items may have the same name. */
export function groupByName(
  items: ReadonlyMap<string, Item>,
  nameOf = (_: string, item: Item) => item['name'],
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const [id, item] of items) addTo(groups, toExactKey(nameOf(id, item), 'name'), id)
  return groups
}

/** Accents, vowel points of Hebrew and Arabic, and invisible characters, except Japanese voicing marks. */
const ignored =
  /(?![\u3099\u309a])(?=\p{Mn})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]|\p{Cf}/gu

/** Replacements for letters that Unicode normalization does not decompose. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ẞ: 'SS', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Ħ: 'H', Ŧ: 'T', Æ: 'AE', Œ: 'OE', Þ: 'TH' },
}

/** Composes letters and accents, which macOS separates in file names. */
export const composeText = (text: string) => text.normalize('NFC')

/** Converts a text to a form for comparisons that ignore case and accents. */
export function foldText(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toUpperCase()
  return (
    text
      .normalize('NFKD')
      .replace(ignored, '')
      .toUpperCase()
      .replace(/[^ -~]/g, (letter) => plainLetters[letter] ?? letter)
      // A decomposed Korean syllable would match all syllables that begin with the same letters.
      .normalize('NFC')
  )
}
