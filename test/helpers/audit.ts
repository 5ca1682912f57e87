import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

export interface AuditLine {
  id: string
  event: 'intent' | 'outcome'
  operation: string
  [field: string]: unknown
}

export function readLog(log: string): AuditLine[] {
  if (!existsSync(log)) return []
  const text = readFileSync(log, 'utf8')
  expect(text).toMatch(/\n$|^$/)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

export const changes = (log: string) => {
  const lines = readLog(log)
  return lines
    .filter(({ event }) => event === 'intent')
    .map((intent) => ({
      intent,
      outcomes: lines.filter(({ id, event }) => event === 'outcome' && id === intent.id),
    }))
}
