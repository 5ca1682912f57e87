import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { loadSqlite, type QuietLoader } from '../../../src/embedded/store/sqlite.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import { testDisk } from '../../helpers/disk.ts'
import { tempDir } from '../../helpers/world.ts'

/** Opens a store; a row in the table of orphans makes its commit fail. */
async function openStore(quietly: QuietLoader = (load) => load()) {
  const open = await loadSqlite(quietly)
  const path = join(tempDir(), 'workspace.db')
  const db = open(path)
  const store = new Store(db, { path, open: () => open(path) })
  onTestFinished(() => store.close())
  db.exec('PRAGMA foreign_keys = ON')
  db.exec('CREATE TABLE notes (text PRIMARY KEY)')
  db.exec('CREATE TABLE orphans (text REFERENCES notes DEFERRABLE INITIALLY DEFERRED)')
  const heard: string[] = []
  return {
    store,
    heard,
    notes: () => store.all<{ text: string }>('SELECT text FROM notes').map(({ text }) => text),
    note: (text: string, also = () => {}) =>
      store.write(() => {
        store.run('INSERT INTO notes VALUES (?)', text)
        store.afterCommit(() => heard.push(`${text} is on disk`))
        for (const place of ['first', 'second'])
          store.onRollback(() => heard.push(`${text}, ${place}, is taken back`))
        also()
        return text
      }),
    orphan: () => store.run('INSERT INTO orphans VALUES (?)', 'nobody'),
  }
}

const outcomes = async (...writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map((write) =>
    write.status === 'fulfilled' ? write.value : String(write.reason.message),
  )

test('a failed write rolls back only its own changes, in reverse order', async () => {
  const { note, notes, heard } = await openStore()
  const [a, b] = [note('a'), note('b')]
  const failing = () =>
    note('c', () => {
      throw new Error('no')
    })
  expect(failing).toThrow('no')
  expect(heard).toEqual(['c, second, is taken back', 'c, first, is taken back'])
  expect(await outcomes(a, b, note('d'))).toEqual(['a', 'b', 'd'])
  expect(heard.slice(2)).toEqual(['a is on disk', 'b is on disk', 'd is on disk'])
  expect(notes()).toEqual(['a', 'b', 'd'])
})

test('successful writes of a commit have consecutive row IDs despite failed writes', async () => {
  const { store, notes } = await openStore()
  const insert = (text: string) => store.insert('notes', { text })
  const written = (text: string) => store.write(() => insert(text))
  const fail = () =>
    store.write(() => {
      insert('failed')
      throw new Error('no')
    })
  const writes = [written('a'), written('b')]
  expect(fail).toThrow('no')
  writes.push(written('c'))
  expect(fail).toThrow('no')
  expect(fail).toThrow('no')
  writes.push(written('d'))
  expect(await Promise.all(writes)).toEqual([1, 2, 3, 4])
  expect(notes()).toEqual(['a', 'b', 'c', 'd'])
})

test('a commit fails as a whole if the disk becomes full during the rollback of a write', async () => {
  const disk = await testDisk()
  const { note, notes, heard } = await openStore(disk.quietly)
  const a = note('a')
  const fillDisk = () => {
    disk.fill('change')
    throw new Error('no')
  }
  expect(() => note('b', fillDisk)).toThrow('no')
  disk.makeRoom()
  expect(await outcomes(a, note('c'))).toEqual(['database or disk is full', 'c'])
  expect(heard).toEqual([
    'b, second, is taken back',
    'b, first, is taken back',
    'a, second, is taken back',
    'a, first, is taken back',
    'c is on disk',
  ])
  expect(notes()).toEqual(['c'])
})

test('a commit that SQLite rejects is rolled back as a whole', async () => {
  const { note, notes, orphan, heard } = await openStore()
  const refused = await outcomes(note('a'), note('b', orphan))
  expect(refused).toEqual(Array(2).fill('FOREIGN KEY constraint failed'))
  expect(heard).toEqual([
    'b, second, is taken back',
    'b, first, is taken back',
    'a, second, is taken back',
    'a, first, is taken back',
  ])
  expect(notes()).toEqual([])
  expect(await outcomes(note('c'))).toEqual(['c'])
  expect(notes()).toEqual(['c'])
})

test('writes in two consecutive turns of the event loop share one commit', async () => {
  const { note, heard } = await openStore()
  const [a, b] = [note('a'), note('b')]
  await setImmediate()
  const c = note('c')
  await a
  expect(heard).toEqual(['a is on disk', 'b is on disk', 'c is on disk'])
  await Promise.all([b, c])
})

test('a commit completes even if every turn of the event loop adds a write', async () => {
  const { note, notes } = await openStore()
  let isCommitted = false
  const writes = [note('first').then(() => (isCommitted = true)), note('second')]
  for (let i = 0; i < 10_000 && !isCommitted; i++) {
    writes.push(note(`${i}`))
    await setImmediate()
  }
  expect(isCommitted).toBe(true)
  await Promise.all(writes)
  expect(notes()).toHaveLength(writes.length)
})

test('an error in an afterCommit callback rejects only its own write', async () => {
  const { store, note, notes } = await openStore()
  const fails = () =>
    store.afterCommit(() => {
      throw new Error('no')
    })
  expect(await outcomes(note('a'), note('b', fails), note('c'))).toEqual(['a', 'no', 'c'])
  expect(notes()).toEqual(['a', 'b', 'c'])
})

test('a nested write throws and rolls back the outer write', async () => {
  const { note, notes } = await openStore()
  expect(() => note('outer', () => void note('inner'))).toThrow('a write inside a write')
  expect(notes()).toEqual([])
  expect(await outcomes(note('next'))).toEqual(['next'])
  expect(notes()).toEqual(['next'])
})
