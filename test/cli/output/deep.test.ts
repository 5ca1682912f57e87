import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { JsonLimitError, parseJson, readJson } from '../../../src/api/json.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'

// Deeply nested JSON exhausts the stack of recursive functions.

const world = perTest(createWorld)

const nested = (levels: number, inner = '1') => '['.repeat(levels) + inner + ']'.repeat(levels)
const deep = nested(100_000)
const formats = ['table', 'csv', 'ids', 'json', 'ndjson']

test('parseJson() and readJson() accept 200 levels of JSON and refuse 201 levels', () => {
  for (const read of [parseJson, readJson])
    for (const inner of ['1', '12345678901234567890']) {
      expect(JSON.stringify(read(nested(200, inner)))).toContain('[[[')
      expect(() => read(nested(201, inner))).toThrow(JsonLimitError)
      expect(() => read(`{"a":${nested(200, inner)}}`)).toThrow(JsonLimitError)
      expect(() => read(nested(1_000_000, inner))).toThrow(JsonLimitError)
    }
})

describe('a response nested 100,000 levels deep', () => {
  test.each(formats)(
    'rooms get -o %s exits 6 without a stack trace for a response nested 100,000 levels deep',
    async (format) => {
      for (const text of [`{"room":{"id":"r1","type":"open","name":"n","x":${deep}}}`, deep]) {
        world.intercept = async () => answer(200, text)
        const { code, stdout, stderr } = await world.run(`rooms get r1 -o ${format}`)
        expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
        expect(stderr).toContain(
          'the service’s response cannot be read: it is nested more than 200 levels deep',
        )
        expect(stderr).not.toContain('    at ')
        if (format.endsWith('json')) expect(JSON.parse(stderr).error.code).toBe('service')
      }
    },
  )

  test.each(formats)(
    'rooms get -o %s prints no stack trace for an error response nested 100,000 levels deep',
    async (format) => {
      for (const status of [400, 404, 500, 503]) {
        world.intercept = async () => answer(status, `{"error":{"message":"no","x":${deep}}}`)
        const { code, stdout, stderr } = await world.run(`rooms get r1 -o ${format} --retries 0`)
        expect(stdout).toBe('')
        expect([1, 3, 4, 6]).toContain(code)
        expect(stderr).not.toContain('    at ')
        if (format.endsWith('json')) expect(JSON.parse(stderr).error.status).toBe(status)
      }
    },
  )
})

test('rooms list prints a response nested 180 levels deep without an error', async () => {
  const text = `{"rooms":[{"id":"r1","type":"open","name":"n","x":${nested(180)}}],"paging":{"total":1}}`
  world.intercept = async () => answer(200, text)
  for (const format of formats)
    for (const tty of [true, false])
      expect(await world.run(`rooms list --all -o ${format}`, { tty })).toMatchObject({ code: 0, stderr: '' })
})

test('rooms create and users import exit 2 for JSON input nested 100,000 levels deep', async () => {
  writeFileSync(join(world.dir, 'deep.json'), deep)
  writeFileSync(join(world.dir, 'users.ndjson'), `{"user_id":"a","x":${deep}}\n`)
  for (const line of ['rooms create --name n --type open --data @deep.json', 'users import users.ndjson']) {
    const { code, stderr } = await world.run(line)
    expect(code, line).toBe(2)
    expect(stderr).toMatch(/^error: .*(200 levels|not JSON)/)
  }
  expect(world.requests).toEqual([])
})
