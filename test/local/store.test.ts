import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadSqlite } from '../../src/embedded/store/sqlite.ts'
import { Store } from '../../src/embedded/store/store.ts'
import { tempDir } from '../helpers/world.ts'

/** A store on a file with a table of notes, and one in which a commit that leaves an orphan is refused. */
async function openStore() {
  const open = await loadSqlite((load) => load())
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
    /** Writes a note, and hears what becomes of it. */
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

test('a write that fails is taken back, the latest first, and those that share its commit are not', async () => {
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

test('a commit that SQLite refuses is taken back whole, and the next one is good', async () => {
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

test('what fails after the commit is told to its own write, and the others are answered', async () => {
  const { store, note, notes } = await openStore()
  const fails = () =>
    store.afterCommit(() => {
      throw new Error('no')
    })
  expect(await outcomes(note('a'), note('b', fails), note('c'))).toEqual(['a', 'no', 'c'])
  expect(notes()).toEqual(['a', 'b', 'c'])
})

test('a write inside a write is refused, and both are taken back', async () => {
  const { note, notes } = await openStore()
  expect(() => note('outer', () => void note('inner'))).toThrow('a write inside a write')
  expect(notes()).toEqual([])
  expect(await outcomes(note('next'))).toEqual(['next'])
  expect(notes()).toEqual(['next'])
})
