import { findClosest } from '../../../api/closest.ts'
import { isRecord } from '../../../api/guards.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import type { Item } from '../views/views.ts'

/**
 * Converts a simple jq path, such as `.rooms[] | .id`, to JMESPath; otherwise returns undefined.
 * @param key property with the list of a path such as `.[].id`
 */
export function fromJq(text: string, key = ''): string | undefined {
  const parts = text.split('|').map((part) => part.trim())
  if (!parts.every((part) => /^\.[\w.[\]]*$/.test(part))) return undefined
  const path = parts.join('').replaceAll('.[', '[').replace(/^\.+/, '').replace(/\.$/, '')
  return path.startsWith('[') ? key + path : path || '@'
}

const maxKeys = 12

/** Pattern of a common function after a pipe or a dot, as in `rooms | length`. */
const functionCall = /^(.+?)\s*[|.]\s*(length|keys|values|reverse|sort|sum|avg)(?:\(@?\))?\s*$/

/** Explains why a query matched nothing; undefined for a query that may be correct. */
export function explainNoMatch(expression: string, document: unknown): string | undefined {
  const [, argument, name] = functionCall.exec(expression) ?? []
  if (name !== undefined && !/[&|]/.test(argument ?? ''))
    return `--query: “${name}” is a function; type: --query ${quoteForShell(`${name}(${argument})`)}`
  const lists = isRecord(document) ? Object.keys(document).filter((key) => Array.isArray(document[key])) : []
  if (expression.startsWith('[') && lists.length === 1)
    return `--query: the list is in the field “${lists[0]}”; type: --query ${quoteForShell(lists[0] + expression)}`
  let places = [document]
  let path = ''
  for (const [step, key, index, compared] of expression.matchAll(
    /(?:^|\.)([A-Za-z_]\w*)(?![\w(])|\[(\*|-?\d*)\]|\[\?\s*\w+\s*[=<>!]=?\s*([A-Za-z_]\w*)\s*\]|[\s\S]/gy,
  )) {
    const records = (compared === undefined ? places : places.flat().slice(0, 1000)).filter(isRecord)
    const keys = [...new Set(records.flatMap((record) => Object.keys(record)))]
    if (compared !== undefined && keys.length > 0 && !keys.includes(compared))
      return explainText(expression, compared, `${path}[]`)
    if (key !== undefined) {
      if (!keys.includes(key) && keys.length > 0) {
        const isList = path === '' && /^\w+\[/.test(expression) && lists.length === 1
        const meant = findClosest(key, keys) ?? (isList ? lists[0] : undefined)
        const rest = expression.slice(path.length + step.length)
        const fixed = meant && fixQuery(path + step.replace(key, meant) + rest, document)
        return describeKeys(key, records, keys, path) + (fixed ? `; type: ${fixed}` : '')
      }
      if (keys.length === 0) return undefined
      places = records.flatMap((record) => (Object.hasOwn(record, key) ? [record[key]] : []))
    } else if (index !== undefined) places = places.flat().slice(0, 1000)
    else return undefined
    path += step
  }
  return undefined
}

/** Returns `--query` with a query that has no other unknown field; undefined if a field remains unknown. */
function fixQuery(query: string, document: unknown): string | undefined {
  const left = explainNoMatch(query, document)
  return left === undefined ? `--query ${quoteForShell(query)}` : /; type: (--query .*)$/s.exec(left)?.[1]
}

function explainText(expression: string, word: string, path: string): string {
  const isLiteral = /^(true|false|null)$/.test(word)
  const quoted = expression.replace(new RegExp(`([=<>]\\s*)${word}(?=\\s*\\])`), (_, before: string) =>
    isLiteral ? `${before}\`${word}\`` : `${before}'${word}'`,
  )
  return `--query: no field “${word}” in ${path}; a ${isLiteral ? 'constant needs backticks' : 'text needs quotes'}: --query ${quoteForShell(quoted)}`
}

function describeKeys(key: string, records: readonly Item[], keys: readonly string[], path: string): string {
  const near = findClosest(key, keys)
  const sorted = [...keys].sort((a, b) => Number(b === near) - Number(a === near))
  const shown = sorted.slice(0, maxKeys).join(', ')
  const [record = {}] = records
  // The key may belong to a nested item, such as `name` in `room.name`.
  const inner = keys.flatMap((outer) => {
    const value = record[outer]
    const items = [value].flat().filter(isRecord)
    const found = findClosest(key, Object.keys(items[0] ?? {}))
    return found === undefined ? [] : [`${outer}${Array.isArray(value) ? '[]' : ''}.${found}`]
  })
  const meant = near === undefined && inner.length === 1 && path === '' ? `; did you mean ${inner[0]}?` : ''
  const where = path === '' ? 'at the top level' : `in ${path}`
  return `--query: no field “${key}” ${where}; fields are ${shown}${sorted.length > maxKeys ? ', …' : ''}${meant}`
}
