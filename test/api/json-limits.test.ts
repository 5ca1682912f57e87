import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonLimitError, parseJson, requireJsonLimits } from '../../src/api/json.ts'
import { sized } from '../suites/size.ts'

const encode = (text: string) => new TextEncoder().encode(text)
/** White space that makes any JSON long enough for the check. */
const padding = ' '.repeat(600_000)
const check = (text: string, levels = 200, values = 1000) =>
  requireJsonLimits(encode(padding + text), levels, values)

describe('requireJsonLimits', () => {
  test('requireJsonLimits rejects arrays and objects nested beyond the depth limit', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(() => check(open.repeat(200) + close.repeat(200))).not.toThrow()
      expect(() => check(open.repeat(201))).toThrow('nested more than 200 levels deep')
    }
  })

  test('requireJsonLimits rejects JSON with more values than the limit', () => {
    expect(() => check(`[${'0,'.repeat(998)}0]`)).not.toThrow()
    expect(() => check(`[${'0,'.repeat(1100)}0]`)).toThrow('too large: more than 1000 values')
    expect(() => check(`[${'[],{},'.repeat(500)}0]`)).toThrow(JsonLimitError)
    expect(() => check(`{${'"a":0,'.repeat(1100)}"a":0}`)).toThrow(JsonLimitError)
  })

  test('requireJsonLimits ignores brackets and commas in strings', () => {
    const text = JSON.stringify({ a: '[{,'.repeat(5000), b: '\\"[[['.repeat(5000), '\\': '"' })
    expect(() => check(text, 1, 4)).not.toThrow()
  })

  test('parseJson enforces the depth limit on short JSON that requireJsonLimits accepts', () => {
    const text = '['.repeat(1000) + ']'.repeat(1000)
    expect(() => requireJsonLimits(encode(text))).not.toThrow()
    expect(() => parseJson(text)).toThrow(JsonLimitError)
  })

  test('requireJsonLimits throws only JsonLimitError for arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('', '"', '\\', '"\\'), (text, end) => {
        try {
          check(text + end, 3, 10)
        } catch (error) {
          expect(error).toBeInstanceOf(JsonLimitError)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('requireJsonLimits accepts any JSON within the depth and value limits', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const count = (part: unknown): number =>
          typeof part === 'object' && part !== null
            ? Object.values(part).reduce<number>((sum, each) => sum + count(each), 1)
            : 1
        expect(() => check(JSON.stringify(value), 10, 2 * count(value))).not.toThrow()
      }),
      { numRuns: sized(10, 50) },
    )
  })
})
