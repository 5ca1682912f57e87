import { describe, expect, test } from 'vitest'
import { WebhookEvent } from '../../src/api/webhooks.ts'
import { expectMatch, loadWebhookEvents, localUrl, replayFixtures } from '../helpers/wire.ts'

describe('the embedded service', () => {
  replayFixtures(async ({ service }) => ({ baseUrl: localUrl, exchange: service }))
})

describe('the schema of webhook events', () => {
  for (const { name, body } of loadWebhookEvents())
    test(`the schema of webhook events accepts ${name}`, () => {
      expect(WebhookEvent.parse(body)).toEqual(body)
    })

  const [event] = loadWebhookEvents()
  const broken: [string, object][] = [
    ['an event with an unlisted action', { action: 'sessionPaused' }],
    ['an event without a payload', { payload: undefined }],
    ['an event with an empty payload', { payload: {} }],
  ]
  for (const [name, change] of broken)
    test(`the schema of webhook events rejects ${name}`, () => {
      expect(WebhookEvent.safeParse({ ...(event?.body as object), ...change }).success).toBe(false)
    })
})

describe('expectMatch', () => {
  const matches = (actual: unknown, expected: unknown) => {
    try {
      expectMatch(actual, expected)
      return true
    } catch {
      return false
    }
  }

  test('expectMatch accepts additional fields and rejects missing fields', () => {
    expect(matches({ a: 1, b: 2 }, { a: 1 })).toBe(true)
    expect(matches({ b: 2 }, { a: 1 })).toBe(false)
    expect(matches({}, { a: '<string?>' })).toBe(false)
  })

  test('expectMatch checks the length of an array and the minimum number of items', () => {
    expect(matches([1, 2], ['<number>'])).toBe(false)
    expect(matches([1, 2], { '<each>': '<number>', '<min>': 2 })).toBe(true)
    expect(matches([1, 2], { '<each>': '<number>', '<min>': 3 })).toBe(false)
    expect(matches([1, 'two'], { '<each>': '<number>', '<min>': 0 })).toBe(false)
  })

  test('expectMatch accepts null only for a placeholder with a question mark', () => {
    expect(matches(null, '<timestamp?>')).toBe(true)
    expect(matches(null, '<timestamp>')).toBe(false)
    expect(matches('yesterday', '<timestamp?>')).toBe(false)
    expect(matches('2024-05-06T07:08:09.123Z', '<timestamp>')).toBe(true)
  })

  test('expectMatch rejects an unknown placeholder', () => {
    expect(() => expectMatch('x', '<colour>')).toThrow('no such placeholder: <colour>')
  })
})
