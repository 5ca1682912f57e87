import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseWorkspace } from '../../../src/cli/workspace/document/read-document.ts'
import { formatYaml, toPlainDocument } from '../../../src/cli/workspace/document/write-document.ts'
import { createWorld } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

async function read(text: string, file = 'f.yaml') {
  try {
    return toPlainDocument(await parseWorkspace(text, file))
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string }
    return hint === undefined ? message : `${message} | ${hint}`
  }
}

describe('a workspace file', () => {
  test.each([
    [
      'users:\n  - { user_id: 007 }\n',
      'f.yaml:2:16: users[0].user_id must be text, not 007 | put it in quotes: "007"',
    ],
    [
      'users:\n  - user_id: 12345678901234567890\n',
      'f.yaml:2:14: users[0].user_id must be text, not 12345678901234567890 | put it in quotes: "12345678901234567890"',
    ],
    [
      'rooms:\n - key: a\n   name: true\n',
      'f.yaml:3:10: rooms[0].name must be text, not true | put it in quotes: "true"',
    ],
    [
      'rooms:\n - key: a\n   members: [ gast1 ]\n',
      'f.yaml:3:15: rooms[0].members[0] must be an object such as { user_id: gast1 }, not “gast1”',
    ],
    ['users: [ 007 ]\n', 'f.yaml:1:10: users[0] must be an object such as { user_id: "007" }, not “007”'],
    [
      'rooms: [ Maths 7a ]\n',
      'f.yaml:1:10: rooms[0] must be an object such as { key: "Maths 7a" }, not “Maths 7a”',
    ],
    ['rooms:\n - key: a\n   record: yes\n', 'f.yaml:3:12: rooms[0].record must be true or false, not “yes”'],
    [
      'rooms:\n - key: a\n   type: opn\n',
      'f.yaml:3:10: rooms[0].type must be open, public or private, not “opn”',
    ],
    ['users:\n  - user_id: a\n    user_id: b\n', 'f.yaml:3:5: this key is written twice in the same object'],
    ['users:\n - user_id: a\n - user_id: a\n', 'f.yaml:3:13: users[1].user_id: “a” is already in users[0]'],
    ['rooms:\n - key: a\n - key: a\n', 'f.yaml:3:9: rooms[1].key: “a” is already in rooms[0]'],
    [
      'rooms:\n - key: a\n   members: [{ user_id: a }, { user_id: a }]\n',
      'f.yaml:3:41: rooms[0].members[1].user_id: “a” is already in rooms[0].members[0]',
    ],
    [
      'users:\n',
      "f.yaml:1:1: users is null | omit “users” if the field is out of scope; an empty list is [], an empty text is ''",
    ],
    [
      'rooms:\n - key: a\n   members:\n',
      "f.yaml:3:4: rooms[0].members is null | omit “members” if the field is out of scope; an empty list is [], an empty text is ''",
    ],
    [
      'rooms:\n - key: a\n   member: []\n',
      'f.yaml:3:4: rooms[0].member: there is no such field | did you mean “members”?',
    ],
    [
      'users:\n - user_id: a\n   is_blocked: true\n',
      'f.yaml:3:4: users[0].is_blocked: there is no such field | fields are user_id, name, profile_url, default_member_type, email, protected',
    ],
    ['rooms: &a\n - key: x\n', 'f.yaml:1:8: anchors are not allowed; write the value out where it is needed'],
    ['users: *a\n', 'f.yaml:1:8: aliases are not allowed; write the value out'],
    [
      'users:\n - user_id: a\n   <<: { name: b }\n',
      'f.yaml:3:4: merge keys (<<) are not allowed; write the fields out',
    ],
    [
      'users: [{ user_id: !!str 12 }]',
      'f.yaml:1:20: tags such as !!str are not allowed; quote the value instead',
    ],
    ['users: []\n---\nusers: []\n', 'f.yaml:2:1: the file contains several documents, but must contain one'],
    ['users: []\n\trooms: []', 'f.yaml:2:1: YAML does not allow tabs for indentation; use spaces'],
    ['users: [{ user_id: .. }]', 'f.yaml:1:20: users[0].user_id: “..” is not a valid user ID'],
    [
      'users: [{ user_id: "a\\nb" }]',
      'f.yaml:1:20: users[0].user_id: the user ID contains a control character',
    ],
  ])('parseWorkspace reports the position of the error in %j', async (text, problem) => {
    expect(await read(text)).toBe(problem)
  })

  test.each([
    [
      '{"users":[{"user_id":1}]}',
      'f.json:1:22: users[0].user_id must be text, not 1 | put it in quotes: "1"',
    ],
    ['{"users":[],"users":[]}', 'f.json:1:14: this key is written twice in the same object'],
    ['# School\nusers: {}\n', 'f.json:2:8: users must be a list, not an object'],
    ['{"users":[}', 'f.json is not valid JSON: unexpected “}” at column 11'],
  ])('parseWorkspace reports the position of the error in the JSON file %j', async (text, problem) => {
    expect(await read(text, 'f.json')).toBe(problem)
  })

  test('parseWorkspace reads YAML in a file with the extension .json', async () => {
    expect(await read('# School\nusers: [{ user_id: ada }]\n', 'f.json')).toEqual({
      users: [{ user_id: 'ada' }],
    })
  })

  test('parseWorkspace refuses a file with anchors, very deep nesting or too many values', async () => {
    const laughs = Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}`},${`*a${i}`}]`)
    expect(await read(`a0: &a0 [x]\n${laughs.join('\n')}\n`)).toMatch(/anchors are not allowed/)
    expect(await read('['.repeat(100_000))).toMatch(/^f\.yaml:1:\d+: the file is nested too deeply$/)
    expect(await read('- '.repeat(100_000))).toMatch(/^f\.yaml:1:\d+: the file is nested too deeply$/)
    expect(await read(`users:\n${'- {}\n'.repeat(700_001)}`)).toMatch(
      /^f\.yaml has too many values: more than 700000 lines and commas/,
    )
    expect(await read('['.repeat(100_000), 'f.json')).toMatch(/^f\.json is not valid JSON/)
  })

  test('the YAML 1.1 booleans yes, no and on are text in a workspace file', async () => {
    expect(await read('users: [{ user_id: no, name: on }, { user_id: yes, name: ~x }]')).toEqual({
      users: [
        { user_id: 'no', name: 'on' },
        { user_id: 'yes', name: '~x' },
      ],
    })
  })

  test('a workspace document has the same content after it is formatted as YAML or JSON and parsed', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom(
        'no',
        '007',
        'null',
        '~',
        '- a',
        'a: b',
        '#x',
        '{',
        "'",
        '"',
        ' a ',
        'a\nb',
        '1e3',
        '0x1f',
        '=',
        '.inf',
      ),
    )
    const id = text.filter((value) => !/^\.{1,2}$|\p{Cc}/u.test(value) && value.isWellFormed())
    const member = fc.record({
      user_id: id,
      fields: fc.record({ name: text }),
      isProtected: fc.constantFrom(undefined, true),
    })
    const rooms = fc.uniqueArray(
      fc.record({
        key: text,
        fields: fc.record({
          name: text,
          type: fc.constantFrom('open', 'private'),
          max_meeting_seconds: fc.integer({ min: 1 }),
        }),
        members: fc.uniqueArray(member, { selector: ({ user_id }) => user_id, maxLength: 3 }),
        isProtected: fc.constantFrom(undefined, false),
      }),
      { selector: ({ key }) => key, maxLength: 3 },
    )
    const users = fc.uniqueArray(member, { selector: ({ user_id }) => user_id, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(users, rooms, async (users, rooms) => {
        const document = { users, rooms }
        const plain = JSON.parse(JSON.stringify(toPlainDocument(document)))
        const yaml = formatYaml(document)
        expect(await read(yaml)).toEqual(plain)
        expect(await read(JSON.stringify(plain), 'f.json')).toEqual(plain)
      }),
      { numRuns: sized(20, 200) },
    )
  })

  test('parseWorkspace parses random YAML tokens or reports the position of the error', async () => {
    const part = fc.constantFrom(
      ...'users:|rooms:|\n|  |- |{|}|[|]|: |, |? |&a|*a|!!str |<<|"|\'|||>|%YAML 1.1|---|...|#|a|1|~|\t|\\|\u0000'.split(
        '|',
      ),
      '|\n',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 20 }), async (parts) => {
        const result = await read(parts.join(''))
        if (typeof result === 'string') expect(result).toMatch(/^f\.yaml:\d+:\d+: .+/)
      }),
      { numRuns: sized(250, 5000) },
    )
  })

  test('workspace diff exits 2 before any request if the file is missing, not UTF-8 or not a workspace', async () => {
    const world = await createWorld()
    writeFileSync(join(world.dir, 'latin1.yaml'), Buffer.from([0x75, 0xfc]))
    writeFileSync(join(world.dir, 'text.yaml'), 'hello')
    for (const [file, problem] of [
      [
        'none.yaml',
        'none.yaml cannot be read: no such file\nhint: write the current workspace to a file with: meetroom workspace export',
      ],
      ['latin1.yaml', 'latin1.yaml is not UTF-8 text'],
      ['text.yaml', 'text.yaml:1:1: a workspace file must contain users, rooms, or both'],
    ]) {
      const { code, stderr } = await world.run(`workspace diff ${file}`)
      expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${problem}`)])
    }
    expect(world.requests).toEqual([])
  })
})
