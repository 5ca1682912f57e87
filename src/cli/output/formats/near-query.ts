import { findClosest } from '../../../api/closest.ts'
import { isRecord } from '../../../api/guards.ts'
import type { Item } from '../views/views.ts'

/**
 * Converts a simple path of jq, such as `.rooms[] | .id`, to JMESPath; undefined for other text.
 * @param key key of the list that a path such as `.[].id` means
 */
export function fromJq(text: string, key = ''): string | undefined {
  const parts = text.split('|').map((part) => part.trim())
  if (!parts.every((part) => /^\.[\w.[\]]*$/.test(part))) return undefined
  const path = parts.join('').replaceAll('.[', '[').replace(/^\.+/, '').replace(/\.$/, '')
  return path.startsWith('[') ? key + path : path || '@'
}

const maxKeys = 12

/**
 * Explains a query whose path begins with keys that the document does not have: names the keys that exist, the most
 * similar one first. Returns undefined if its plain keys exist, because the rest may rightly match nothing.
 */
export function explainNoMatch(expression: string, document: unknown): string | undefined {
  let places = [document]
  let path = ''
  for (const [step, key, index] of expression.matchAll(
    /(?:^|\.)([A-Za-z_]\w*)(?![\w(])|\[(\*|-?\d*)\]|[\s\S]/gy,
  )) {
    if (key !== undefined) {
      const records = places.filter(isRecord)
      const keys = [...new Set(records.flatMap((record) => Object.keys(record)))]
      if (!keys.includes(key)) return keys.length === 0 ? undefined : describeKeys(key, records, keys, path)
      places = records.flatMap((record) => (Object.hasOwn(record, key) ? [record[key]] : []))
    } else if (index !== undefined) places = places.flat().slice(0, 1000)
    else return undefined
    path += step
  }
  return undefined
}

function describeKeys(key: string, records: readonly Item[], keys: readonly string[], path: string): string {
  const near = findClosest(key, keys)
  const sorted = [...keys].sort((a, b) => Number(b === near) - Number(a === near))
  const shown = sorted.slice(0, maxKeys).join(', ')
  const [record = {}] = records
  // A key of an item, such as `name` for `room.name`.
  const inner = keys.flatMap((outer) => {
    const value = record[outer]
    const items = [value].flat().filter(isRecord)
    const found = findClosest(key, Object.keys(items[0] ?? {}))
    return found === undefined ? [] : [`${outer}${Array.isArray(value) ? '[]' : ''}.${found}`]
  })
  const meant = near === undefined && inner.length === 1 && path === '' ? `; did you mean ${inner[0]}?` : ''
  const where = path === '' ? 'at the top' : `in ${path}`
  return `--query: no key “${key}” ${where}; keys are ${shown}${sorted.length > maxKeys ? ', …' : ''}${meant}`
}
