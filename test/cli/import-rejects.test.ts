import { linkSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createImportWorld, usersCsv } from '../helpers/imports.ts'
import { perTest } from '../helpers/per-test.ts'

const world = perTest(createImportWorld)

const run = (line: string) => world.run(line)
const user = (user_id: string, name?: string) => world.send('POST', '/users', { user_id, name })

/** Imports users, fixes the rejects, and imports those. */
async function mended(name: string, content: string, mend: (rejects: string) => string, ...flags: string[]) {
  await user('ada', 'Old')
  world.file(name, content)
  const first = await world.run(['users', 'import', name, '--failed-out', `again-${name}`, ...flags])
  const rejects = world.read(`again-${name}`) ?? ''
  world.file(`again-${name}`, mend(rejects))
  const second = await world.run(['users', 'import', `again-${name}`])
  return { codes: [first.code, second.code], stderr: first.stderr, rejects, users: await world.users() }
}

test('rejects in CSV are the rows as they were, in their own columns, with the reason', async () => {
  expect(
    await mended(
      'people.csv',
      '\ufeffname,user_id,Notes\r\n"Lovelace, ""Ada""\nof London",ada,\'=1\r\nGrace,grace,x\r\n\'=Kay,,x\r\n',
      (text) => text.replace(',ada,', ',ada2,').replace("'=Kay,,", "'=Kay,kay,").replace('Notes', 'email'),
      '--map',
      'Notes=email',
      '--skip-invalid',
      '--concurrency',
      '1',
    ),
  ).toEqual({
    codes: [8, 0],
    stderr:
      'error: people.csv:2 (ada): there is a user already\n' +
      'error: people.csv:5: user_id is missing\n' +
      'error: imported 1 of 3 users; 2 failed\n' +
      'hint: fix again-people.csv and import it\n',
    rejects:
      'name,user_id,Notes,reason\r\n' +
      '"Lovelace, ""Ada""\nof London",ada,\'=1,there is a user already\r\n' +
      "'=Kay,,x,user_id is missing\r\n",
    users: { ada: 'Old', ada2: 'Lovelace, "Ada"\nof London', grace: 'Grace', kay: '=Kay' },
  })
})

test.each<
  [format: string, content: string, mend: (text: string) => string, rejects: string, ada2: string | null]
>([
  [
    'ndjson',
    '{"user_id":"ada","name":"Ada","n":12345678901234567890}\n{"user_id":"grace"}\n{"name":"Kay"}\n',
    (text) => text.replace(/,"n":\d+/, ''),
    '{"user_id":"ada","name":"Ada","n":12345678901234567890,"reason":"there is a user already"}\n' +
      '{"name":"Kay","reason":"user_id is missing"}\n',
    'Ada',
  ],
  [
    'json',
    '[{"user_id":"ada"},{"user_id":"grace"},{"name":"Kay"}]',
    (text) => text,
    '[\n{"user_id":"ada","reason":"there is a user already"},\n{"name":"Kay","reason":"user_id is missing"}\n]\n',
    null,
  ],
])(
  'rejects in %s are the objects as they were, with the reason',
  async (format, content, mend, rejects, ada2) => {
    const fix = (text: string) =>
      mend(text).replace('"ada"', '"ada2"').replace('{"name"', '{"user_id":"kay","name"')
    const flags = [
      '--skip-invalid',
      '--concurrency',
      '1',
      ...(format === 'ndjson' ? ['--map', 'n=number'] : []),
    ]
    expect(await mended(`people.${format}`, content, fix, ...flags)).toMatchObject({
      codes: [8, 0],
      rejects,
      users: { ada: 'Old', ada2, grace: null, kay: 'Kay' },
    })
  },
)

test('rejects that fail again keep a single reason column', async () => {
  await user('ada')
  world.file('people.csv', 'reason,user_id\nolder,ada\n')
  await run('users import people.csv --failed-out again.csv')
  expect(world.read('again.csv')).toBe('reason,user_id\r\nthere is a user already,ada\r\n')
})

test('rejects keep every cell of a row that has too many', async () => {
  world.file('people.csv', 'user_id,name\nada,Lovelace, Ada\ngrace,G\n')
  await run('users import people.csv --skip-invalid --failed-out again.csv')
  expect(world.read('again.csv')).toBe('user_id,name,reason\r\nada,Lovelace, Ada,3 cells under 2 columns\r\n')
})

test('rejects keep lines that cannot be read', async () => {
  world.file('people.ndjson', '{"user_id":"grace"}\n{"user_id":"ada",name:"Ada"}\n["kay"]\n')
  await run('users import people.ndjson --skip-invalid --failed-out again.ndjson')
  expect(world.read('again.ndjson')).toMatch(/ada[\s\S]*kay/)
})

test('rejects are written only when rows fail, for their owner only', async () => {
  world.file('people.csv', usersCsv(2))
  await run('users import people.csv --failed-out again.csv')
  expect(world.read('again.csv')).toBeUndefined()
  await run('users import people.csv --failed-out again.csv')
  expect(statSync(world.path('again.csv')).mode & 0o777).toBe(0o600)
  expect(world.read('again.csv')).toBe(
    'user_id,name,reason\r\nu1,N1,there is a user already\r\nu2,N2,there is a user already\r\n',
  )
})

test('rejects are never written over the input', async () => {
  world.file('people.csv', `user_id,name\n,A\n${usersCsv(3).slice('user_id,name\n'.length)}`)
  const before = world.read('people.csv')
  expect(await run('users import people.csv --skip-invalid --failed-out ./people.csv')).toMatchObject({
    code: 2,
  })
  expect(world.read('people.csv')).toBe(before)
  expect(world.requests).toEqual([])
})

test('rejects that cannot be written are an error before anything is sent', async () => {
  world.file('people.csv', usersCsv(4))
  expect(await run('users import people.csv --failed-out nowhere/again.csv')).toMatchObject({
    code: 74,
    stdout: '',
    stderr: 'error: nowhere/again.csv cannot be written (ENOENT)\n',
  })
  expect(world.requests).toEqual([])
})

test('rejects that cannot be written leave an unfinished import unfinished', async () => {
  world.file('people.csv', usersCsv(4))
  await world.cutOff('users import people.csv')
  const before = world.read('people.csv.journal')
  expect(await run('users import people.csv --failed-out nowhere/again.csv --resume')).toMatchObject({
    code: 74,
  })
  expect(world.read('people.csv.journal')).toBe(before)
  expect(await run('users import people.csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did not finish'),
  })
})

test('rejects no longer hold a row that a resumed run has imported', async () => {
  await user('u1')
  world.file('people.csv', usersCsv(3))
  expect(await run('users import people.csv --failed-out again.csv')).toMatchObject({ code: 8 })
  expect(world.read('again.csv')).toContain('u1,N1,')
  await world.send('DELETE', '/users/u1')
  expect(await run('users import people.csv --failed-out again.csv --resume')).toMatchObject({ code: 0 })
  expect(world.read('again.csv')).toBeUndefined()
})

test('rejects stay untouched in a run that is refused and in a dry run', async () => {
  world.file('people.csv', usersCsv(3))
  world.file('again.csv', 'precious')
  await world.cutOff('users import people.csv')
  expect(await run('users import people.csv --failed-out again.csv')).toMatchObject({ code: 2 })
  expect(await run('users import people.csv --no-journal --dry-run --failed-out again.csv')).toMatchObject({
    code: 1,
  })
  expect(world.read('again.csv')).toBe('precious')
})

test.each(['people.csv.journal', 'linked.csv', 'folder'])('rejects are never written to %s', async (name) => {
  world.file('people.csv', usersCsv(3))
  linkSync(world.path('people.csv'), world.path('linked.csv'))
  mkdirSync(world.path('folder'))
  const { code } = await run(`users import people.csv --failed-out ${name}`)
  expect(code).toBe(name === 'folder' ? 74 : 2)
  expect(world.read('people.csv')).toBe(usersCsv(3))
  expect(world.requests).toEqual([])
  expect(await run('users import people.csv')).toMatchObject({ code: 0 })
})

test('--failed-out refuses a link to a file or to nowhere', async () => {
  world.file('people.csv', usersCsv(1))
  world.file('precious', 'precious')
  for (const target of ['precious', 'nowhere']) {
    symlinkSync(world.path(target), world.path(`to-${target}`))
    expect(await run(`users import people.csv --failed-out to-${target}`)).toMatchObject({
      code: 2,
      stderr: `error: ${world.path(`to-${target}`)} is a symbolic link\nhint: name the file itself\n`,
    })
  }
  expect(world.read('precious')).toBe('precious')
  expect(world.read('nowhere')).toBeUndefined()
})

test('--failed-out writes to a device, behind a link or not', async () => {
  world.file('people.csv', 'user_id\nada\n,\n')
  symlinkSync('/dev/null', world.path('again.csv'))
  for (const file of ['/dev/null', 'again.csv'])
    expect(
      await run(`users import people.csv --if-exists overwrite --skip-invalid --failed-out ${file}`),
    ).toMatchObject({
      code: 8,
    })
})
