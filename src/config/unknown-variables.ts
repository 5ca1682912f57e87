import { findClosest } from '../api/closest.ts'
import type { Env } from './selection.ts'
import { type Variable, variables } from './variables.ts'

const synonyms: ReadonlyMap<string, Variable> = new Map([
  ['URL', 'BASE_URL'],
  ['API_URL', 'BASE_URL'],
  ['TOKEN', 'API_KEY'],
  ['API_TOKEN', 'API_KEY'],
])

/**
 * Explains variables that resemble unset settings and would be ignored silently; undefined without any.
 * @param unknown names without `MEETROOM_`
 */
export function explainUnknown(unknown: readonly string[], env: Env): string | undefined {
  const found = unknown.flatMap((name) => {
    const meant = findMeant(name.toUpperCase())
    return meant === undefined || env[`MEETROOM_${meant}`] ? [] : [{ name, meant }]
  })
  if (found.length === 0) return undefined
  const join = (names: readonly string[]) => names.map((name) => `MEETROOM_${name}`).join(', ')
  return `meetroom does not read ${join(found.map(({ name }) => name))}; did you mean ${join(found.map(({ meant }) => meant))}?`
}

function findMeant(name: string): string | undefined {
  const ends = variables.filter((variable) => variable === name || variable.endsWith(`_${name}`))
  return synonyms.get(name) ?? (ends.length === 1 ? ends[0] : findClosest(name, variables))
}
