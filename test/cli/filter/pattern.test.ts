import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePattern } from '../../../src/cli/filter/pattern.ts'
import { sized } from '../../suites/size.ts'

const parse = (text: string) => parsePattern(text, `name~${text}`)

test.each([
  ['éMILE', 'Émile'],
  ['Σ', 'ς'],
  ['^.$', '😀'],
  ['^\\u{1F600}$', '😀'],
  ['^\\ud83d\\ude00$', '😀'],
  ['^\\u00E9$', 'É'],
  ['^a\\sb\\Sc$', 'a\u00a0b-c'],
  ['[\\s][^\\s][\\S]', '\u2003xy'],
  ['^[\\s\\S]$', '\n'],
  ['[[]', '['],
  ['[\\b]', '\b'],
  ['\\cA', '\u0001'],
  ['\\p{L}\\P{L}', 'é1'],
  ['\\p{Script=Greek}', 'α'],
  ['\\p{gc=Nd}', '7'],
  ['\\p{Emoji}', '😀'],
  ['(?<year>\\d{4})-(?<month>\\d\\d)', '2026-01'],
  ['a/b\\/c', 'a/b/c'],
  ['a|b$', 'xB'],
  ['^(a{0,1000})$', 'aaa'],
])('the --where pattern %s matches %s', (text, matching) => {
  expect(parse(text).test(matching)).toBe(true)
})

test('a random --where pattern matches the same texts as a JavaScript regular expression', () => {
  const atom = fc.constantFrom(
    ...String.raw`a B é ß - _ . 😀 \. \/ \d \D \w \W \s \S \t \v \x41 \u00e9 \u{1f600} \p{L} \P{L} \p{Nd} ^ $ \b`.split(
      ' ',
    ),
    ...String.raw`[ab] [^ab] [a-c\d] [\s\d] [\S] [^\S] [.] [^] [] [[] [\-\]]`.split(' '),
  )
  const isAssertion = (text: string) => /^(\^|\$|\\b)$/.test(text)
  const repeated = fc
    .tuple(atom, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '*?'))
    .map(([text, times]) => (isAssertion(text) ? text : text + times))
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 3 },
      fc.array(repeated, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('|')),
      fc
        .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.constantFrom('', '*', '+', '?'))
        .map(([open, inner, times]) => `${open}${inner})${times}`),
    ),
  }))
  const text = fc.string({
    unit: fc.constantFrom(...'aAbBéÉßx1_- ./][\n\r\t\v\u00a0\u2028\ufeff\u3000😀α'),
    maxLength: 8,
  })
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
      const ours = parse(source)
      const theirs = new RegExp(source, 'iu')
      for (const candidate of texts)
        expect(ours.test(candidate), JSON.stringify({ source, candidate })).toBe(theirs.test(candidate))
    }),
    { numRuns: sized(50, 500) },
  )
})
