import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteForShell } from '../../../src/api/quote-for-shell.ts'
import { splitWords } from '../../../src/cli/input/split-command.ts'
import { sized } from '../../suites/size.ts'

test.each([
  ['', ['']],
  ['a', ['a']],
  ['a ', ['a', '']],
  ['  a \t b', ['a', 'b']],
  ["a ''", ['a', '']],
  ["a '' b", ['a', '', 'b']],
  ["'a b' c", ['a b', 'c']],
  ['"a b"c', ['a bc']],
  [String.raw`a\ b \"c`, ['a b', '"c']],
  [String.raw`"a\"b\c"`, [String.raw`a"b\c`]],
  [String.raw`'a\'`, ['a\\']],
])('the command line %j is split into %j', (line, words) => {
  expect(splitWords(line)).toMatchObject({ words, open: '' })
})

test.each([
  ["a 'b", "'"],
  ['a "b', '"'],
  ['a b\\', '\\'],
])('the command line %j is incomplete because of the unfinished %j', (line, open) => {
  expect(splitWords(line).open).toBe(open)
})

test.each(['a | b', 'a > b', '$a', '"$a"', 'a `b`', 'a & b', 'a; b', '~/a', 'a *', 'a # b', '(a)', '{a,b}'])(
  'the command line %j contains shell syntax',
  (line) => {
    expect(splitWords(line).special).toBeDefined()
  },
)

test.each(["'$a | b'", '"a | b"', String.raw`\$a`, 'a~b', 'a#b'])(
  'splitWords finds no shell syntax in %j',
  (line) => {
    expect(splitWords(line).special).toBeUndefined()
  },
)

test('random words quoted for sh are split into the original words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '\\', '$', '|', '\t', 'é') })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      const line = words.map((text) => (text === '' ? "''" : quoteForShell(text))).join(' ')
      expect(splitWords(line)).toMatchObject({ words, open: '', special: undefined })
    }),
  )
})

test('a random command line without shell syntax is split into the same words as by sh', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', "'", '"', '\\') })
  fc.assert(
    fc.property(text, (line) => {
      const { words, start, open } = splitWords(line)
      if (open !== '') return
      const whole = start === line.length ? words.slice(0, -1) : words
      const said = execFileSync('sh', ['-c', `for word in ${line}; do printf '<%s>' "$word"; done`], {
        encoding: 'utf8',
      })
      expect(said).toBe(whole.map((word) => `<${word}>`).join(''))
    }),
    { numRuns: sized(12, 60) },
  )
})
