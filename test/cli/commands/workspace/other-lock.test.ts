import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorkspace } from '../../../helpers/workspace-file.ts'

const flags = '--rooms-from class --users-from pupil_id,name'
const roster = (...rows: string[]) => ['pupil_id,name,class', ...rows, ''].join('\n')
const confirmed = '--yes --max 500'

async function createSchool() {
  const at = await createWorkspace()
  at.write(roster('p1,Ada,7a', 'p2,Bob,7a'), 'week1.csv')
  expect((await at.run(`workspace apply week1.csv ${flags} ${confirmed}`)).code).toBe(0)
  at.write(roster('p1,Ada,7a'), 'week2.csv')
  writeFileSync(join(at.world.dir, 'yarn.lock'), '# of another program\n')
  const [room] = await at.rooms()
  return { at, room: room.id as string }
}

const suggested = (stderr: string, lock: string) =>
  new RegExp(`meetroom (workspace [^;]*--lock ${lock}[^;]* week2.csv)`).exec(stderr)?.[1] ?? ''

test.each(['diff', 'apply --yes', 'apply --dry-run', 'adopt'])(
  'workspace %s of a renamed file suggests the lock file that records the rooms, and sends no write',
  async (command) => {
    const { at } = await createSchool()
    const { code, stderr, writes } = await at.run(`workspace ${command} week2.csv ${flags}`)
    expect({ code, writes, lock: at.lock('week2.csv') }).toEqual({
      code: command === 'diff' ? 9 : 2,
      writes: [],
      lock: undefined,
    })
    expect(stderr).toContain('rooms of week2.csv already belong to the lock file week1.csv.lock')
    expect(suggested(stderr, 'week1.csv.lock')).toContain('week2.csv')
  },
)

test('workspace diff of a renamed file suggests the lock file that records a room with an ambiguous name', async () => {
  const { at } = await createSchool()
  await at.room('7a')
  const { stderr } = await at.run(`workspace diff week2.csv ${flags}`)
  expect(suggested(stderr, 'week1.csv.lock')).toContain('week2.csv')
})

test('workspace apply --prune --lock blocks a member missing from the file and records the block', async () => {
  const { at, room } = await createSchool()
  const { stderr } = await at.run(`workspace apply week2.csv ${flags} --prune=members --yes`)
  const line = suggested(stderr, 'week1.csv.lock')
  const run = await at.run(`${line} ${confirmed}`)
  expect(run.code, run.stderr).toBe(0)
  expect(await at.members(room)).toEqual(['p1 guest', 'p2 guest blocked'])
  expect(at.lock('week2.csv')).toBeUndefined()
  expect(at.lock('week1.csv').sections[0].rooms['7a'].blocks).toEqual(['p2'])
  const diff = await at.run(`workspace diff week2.csv ${flags} --lock week1.csv.lock`)
  expect(diff.code).toBe(0)
})

test('workspace adopt of a second file records the rooms in the lock file that the hint suggests', async () => {
  const { at } = await createSchool()
  const { stderr } = await at.run(`workspace adopt week2.csv ${flags}`)
  expect(await at.run(suggested(stderr, 'week2.csv.lock'))).toMatchObject({ code: 0 })
  expect(Object.keys(at.lock('week2.csv').sections[0].rooms)).toEqual(['7a'])
})

test('workspace diff ignores lock files of another service and lock files without rooms', async () => {
  const { at } = await createSchool()
  const lock = at.lock('week1.csv')
  for (const change of [
    (section: any) => ({ ...section, base_url: 'https://other.test/v1' }),
    (section: any) => ({ ...section, rooms: {} }),
  ]) {
    at.write(JSON.stringify({ ...lock, sections: lock.sections.map(change) }), 'week1.csv.lock')
    const { code, stderr } = await at.run(`workspace diff week2.csv ${flags}`)
    expect(code).toBe(9)
    expect(stderr).not.toContain('week1.csv.lock')
  }
})

test('workspace adopt --members records members missing from the file so that --prune blocks them', async () => {
  const { at, room } = await createSchool()
  renameSync(join(at.world.dir, 'week1.csv.lock'), join(at.world.dir, 'lost'))
  await at.user('host')
  const { body } = await at.world.send('POST', `/rooms/${room}/members`, { user_id: 'host' })
  await at.world.send('PUT', `/rooms/${room}/members/${body.member.id}`, { is_blocked: true })
  const adopted = await at.run(`workspace adopt week2.csv ${flags}`)
  expect(adopted.stderr).toContain('the file does not list 1 member of these rooms')
  const prune = `workspace apply week2.csv ${flags} --prune=members ${confirmed}`
  expect(await at.run(prune)).toMatchObject({ code: 0, writes: [] })
  const [, line = ''] = /meetroom (workspace adopt .*--members \S+)/.exec(adopted.stderr) ?? []
  expect((await at.run(line)).stderr).toContain('adopted 1 member')
  expect((await at.run(prune)).writes).toHaveLength(1)
  expect(await at.members(room)).toEqual(['host guest blocked', 'p1 guest', 'p2 guest blocked'])
})
