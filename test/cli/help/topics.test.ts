import { expect, test } from 'vitest'
import { readTopicFile } from '../../helpers/documentation.ts'

test('the help topic exit-codes contains every exit code of the topics bulk and agents', () => {
  const codesIn = (topic: string) =>
    [...readTopicFile(topic).matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)
  const known = codesIn('exit-codes')
  expect(known.length).toBeGreaterThan(10)
  for (const topic of ['bulk', 'agents']) for (const code of codesIn(topic)) expect(known).toContain(code)
})
