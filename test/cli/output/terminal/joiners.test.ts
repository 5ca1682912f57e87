import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { visible, visibleJson } from '../../../../src/cli/output/terminal/visible.ts'
import { sized } from '../../../suites/size.ts'

const zwnj = '\u200c'
const zwj = '\u200d'
const tags = (text: string) =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')

describe('unescaped characters', () => {
  test.each([
    ['a family', '👨‍👩‍👧‍👦'],
    ['a family before a long text', `👨‍👩‍👧‍👦${'-'.repeat(100)}`],
    ['a profession with a skin tone', '👩🏽‍🚀'],
    ['a couple, with and without presentation', '👩‍❤️‍👨 👩‍❤‍👨'],
    ['a pirate flag and a rainbow flag', '🏴‍☠️ 🏳️‍🌈'],
    ['an eye in a speech bubble', '👁️‍🗨️'],
    ['the flag of Scotland', `🏴${tags('gbsct')}\u{e007f}`],
    ['a heart as emoji and as text', '❤️ ❤︎'],
    ['a keycap', '1️⃣ #️⃣'],
    ['Persian', 'می‌خواهم خانه‌ها'],
    ['Persian with a vowel sign', 'مَ‌ن'],
    ['Hindi', 'क्‍ष क्‌ष'],
    ['Marathi', 'दर्‍या'],
    ['Sinhala', 'ශ්‍රී'],
    ['Malayalam', 'അവന്‍'],
    ['Bengali', 'র‍্যাব'],
    ['a Japanese name with a variant', '葛󠄀城'],
    ['Mongolian', 'ᠠ᠋'],
  ])('visible() returns %s unchanged', (_, text) => {
    expect(visible(text)).toBe(text)
    expect(visibleJson(JSON.stringify(text))).toBe(JSON.stringify(text))
  })
})

describe('escaped characters', () => {
  test.each([
    ['a joiner between Latin letters', `pay${zwj}pal`, 'pay\\u200dpal'],
    ['a non-joiner between Latin letters', `pay${zwnj}pal`, 'pay\\u200cpal'],
    ['a joiner at the start or the end', `${zwj}👩${zwj}`, '\\u200d👩\\u200d'],
    ['a second joiner', `👩${zwj}${zwj}🚀`, '👩\\u200d\\u200d🚀'],
    ['a second joiner in Hindi', `क्${zwj}${zwj}ष`, 'क्‍\\u200dष'],
    ['a non-joiner after a letter that does not join', `ا${zwnj}ب`, 'ا\\u200cب'],
    ['a non-joiner at the end of a Persian word', `می${zwnj} `, 'می\\u200c '],
    ['a joiner without a virama', `क${zwj}ष`, 'क\\u200dष'],
    ['a joiner before a virama if ra is further away', `রক${zwj}্য`, 'রক\\u200d্য'],
    ['a joiner after a virama without a letter', `-्${zwj}-`, '-्\\u200d-'],
    ['a presentation selector after a letter', 'a\ufe0f', 'a\\ufe0f'],
    ['a presentation selector after a digit without a keycap', '1\ufe0f', '1\\ufe0f'],
    ['a presentation selector after a letter after a digit', '1a\ufe0f\u20e3', '1a\\ufe0f\u20e3'],
    ['a presentation selector for text in a keycap', '1\ufe0e\u20e3', '1\\ufe0e\u20e3'],
    ['a Mongolian variant selector after a Latin letter', 'ᠠa\u180b', 'ᠠa\\u180b'],
    ['a second presentation selector', '❤\ufe0f\ufe0f', '❤️\\ufe0f'],
    ['a variant selector after an emoji', '😀\u{e0100}', '😀\\u{e0100}'],
    ['a flag in tags after another emoji', `😀${tags('gb')}`, '😀\\u{e0067}\\u{e0062}'],
    [
      'a flag without the end tag',
      `🏴${tags('gbsct')}`,
      '🏴\\u{e0067}\\u{e0062}\\u{e0073}\\u{e0063}\\u{e0074}',
    ],
  ])('visible() escapes %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown)
    expect(JSON.parse(visibleJson(JSON.stringify(text)))).toBe(text)
  })
})

test.each(['hi there', 'gb\x7f', 'toolong\x7f', '--gbsct\x7f', 'gbsct\x7fhi', '12345\x7f'])(
  'visible() escapes the tag characters of the invalid regional flag %j',
  (message) => {
    const shown = [...tags(message)].map((tag) => `\\u{${tag.codePointAt(0)?.toString(16)}}`).join('')
    expect(visible(`🏴${tags(message)}`)).toBe(`🏴${shown}`)
  },
)

describe('joiner rules', () => {
  // RFC 5892 restricts joiners in host names.
  const isName = (label: string) => domainToASCII(label) !== ''
  const wrong = (letters: readonly string[], labelOf: (letter: string) => string) =>
    letters.filter((letter) => {
      const label = labelOf(letter)
      return isName(label.replaceAll(/\p{Join_C}/gu, '')) && isName(label) !== (visible(label) === label)
    })

  const from = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i))

  test('visible() keeps the same Arabic non-joiners as domainToASCII()', () => {
    const arabic = from(0x620, 0x6ff).filter((letter) => /\p{L}/u.test(letter))
    expect(wrong(arabic, (letter) => `${letter}${zwnj}ب`)).toEqual([])
    expect(wrong(arabic, (letter) => `ب${zwnj}${letter}`)).toEqual([])
  })

  test('visible() keeps the same Indic joiners and non-joiners as domainToASCII()', () => {
    const signs = from(0x900, 0xdff)
    expect(wrong(signs, (sign) => `क${sign}${zwj}क`)).toEqual([])
    expect(wrong(signs, (sign) => `क${sign}${zwnj}क`)).toEqual([])
  })
})

describe('the escaped form of any text', () => {
  const hidden = fc.constantFrom(
    zwj,
    zwnj,
    '\ufe0f',
    '\ufe0e',
    '\u{e0100}',
    '\u{e0067}',
    '\u{e007f}',
    '\u180b',
  )
  const seen = fc.constantFrom(
    'a',
    ' ',
    '1',
    '👩',
    '🏽',
    '❤',
    '🏴',
    'ب',
    'ا',
    'َ',
    'क',
    '्',
    'र',
    '葛',
    'ᠠ',
    '\u20e3',
  )
  const text = fc
    .array(fc.oneof(seen, hidden, fc.string({ unit: 'binary', maxLength: 2 })))
    .map((parts) => parts.join(''))
  const anyHidden = /[\p{Join_C}\p{VS}\u{e0020}-\u{e007f}]/u

  test('visible() keeps invisible characters only in short runs after a visible character', () => {
    fc.assert(
      fc.property(text, (original) => {
        const shown = visible(original)
        expect(shown).not.toMatch(/^[\p{Join_C}\p{VS}\u{e0020}-\u{e007f}]/u)
        for (const [run] of shown.matchAll(/[\p{Join_C}\p{VS}\u{e0020}-\u{e007f}]+/gu))
          expect(run).toMatch(/^(?:.\u200d?|[\u{e0030}-\u{e007a}]{3,6}\u{e007f})$/u)
      }),
      { numRuns: sized(100, 2000) },
    )
  })

  test('visible() is idempotent', () => {
    fc.assert(
      fc.property(text, (original) => {
        expect(visible(visible(original))).toBe(visible(original))
      }),
      { numRuns: sized(100, 2000) },
    )
  })

  test('visible() escapes each invisible character in ASCII text', () => {
    const latin = fc.array(fc.oneof(fc.constantFrom(...'abc 1-#'), hidden)).map((parts) => parts.join(''))
    fc.assert(fc.property(latin, (original) => !anyHidden.test(visible(original))))
  })

  test('visibleJson() preserves the value of a JSON string', () => {
    fc.assert(
      fc.property(text, (original) => {
        expect(JSON.parse(visibleJson(JSON.stringify(original)))).toBe(original)
      }),
    )
  })
})
