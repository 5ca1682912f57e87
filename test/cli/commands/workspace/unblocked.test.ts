import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorkspace, type TestWorkspace } from '../../../helpers/workspace-file.ts'

const declare = (...users: string[]) =>
  `rooms:\n  - { key: algebra, name: Algebra, type: private, members: [${users.map((id) => `{ user_id: ${id} }`).join(', ')}] }\n`
const apply = 'workspace apply school.yaml --yes --max 500'
const unblocked =
  '! unblocked member algebra/bob; blocked by this file, then unblocked; --reblock blocks the member again'
const removed =
  '- member algebra/bob; is_blocked: false → true; the API cannot remove members; the member is blocked'

const ofMembers = ({ lines }: { lines: readonly string[] }) =>
  lines.filter((line) => line.includes(' member '))

async function createClass(): Promise<{ at: TestWorkspace; room: string; chess: string }> {
  const at = await createWorkspace()
  for (const id of ['ada', 'bob']) await at.user(id)
  at.write(declare('ada', 'bob'))
  await at.run(apply)
  at.write(declare('ada'))
  expect((await at.run(`${apply} --prune=members`)).code).toBe(0)
  const chess = await at.room('Chess', [{ user_id: 'bob' }])
  const [room] = (await at.rooms()).filter(({ name }) => name === 'Algebra')
  return { at, room: room.id, chess }
}

test('members unblock --from unblocks exactly the members in the file of members block --save', async () => {
  const { at, room, chess } = await createClass()
  const block = 'members block --user bob --all-rooms --yes --save blocks.ndjson'
  const run = await at.run(block)
  expect(run).toMatchObject({ code: 0 })
  expect(run.stderr).toContain(
    'saved 1 block in blocks.ndjson\nunblock exactly these members with: meetroom members unblock --from blocks.ndjson',
  )
  expect(await at.members(chess)).toEqual(['bob guest blocked'])
  expect(await at.run(block)).toMatchObject({ code: 2, writes: [] })
  expect(await at.run('members unblock --from blocks.ndjson -o ids')).toMatchObject({ code: 0 })
  expect(await at.members(chess)).toEqual(['bob guest'])
  expect(await at.members(room)).toEqual(['ada guest', 'bob guest blocked'])
  expect(await at.run('members unblock --from blocks.ndjson')).toMatchObject({ code: 0, writes: [] })
})

test('members block --all-rooms --save writes no file with --dry-run or without a new block', async () => {
  const { at } = await createClass()
  const file = join(at.world.dir, 'blocks.ndjson')
  await at.run('members block --user bob --all-rooms --dry-run --save blocks.ndjson')
  await at.run('members block --user bob --all-rooms --yes')
  await at.run('members block --user bob --all-rooms --yes --save blocks.ndjson')
  expect(existsSync(file)).toBe(false)
})

test('members unblock --from skips missing members and members of another user', async () => {
  const { at, chess } = await createClass()
  await at.run('members block --user bob --all-rooms --yes --save blocks.ndjson')
  const file = join(at.world.dir, 'blocks.ndjson')
  const line = JSON.parse(readFileSync(file, 'utf8'))
  const lines = [
    { ...line, member_id: 'none' },
    { ...line, user_id: 'ada' },
  ]
  writeFileSync(file, lines.map((each) => JSON.stringify(each)).join('\n'))
  const run = await at.run('members unblock --from blocks.ndjson -o json')
  expect(run).toMatchObject({ code: 0, writes: [] })
  expect(JSON.parse(run.stdout).steps.map(({ reason }: any) => reason)).toEqual([
    'no such member',
    'the member belongs to another user',
  ])
  expect(await at.members(chess)).toEqual(['bob guest blocked'])
})

test.each([
  [
    'blocks of another service',
    '{"base_url":"https://other.test/v1","user_id":"bob","room_id":"r","member_id":"m"}',
  ],
  ['other records', '{"user_id":"bob"}'],
  ['text that is not JSON', 'bob'],
])('members unblock --from exits 2 for a file with %s', async (_, text) => {
  const { at } = await createClass()
  writeFileSync(join(at.world.dir, 'blocks.ndjson'), text)
  expect(await at.run('members unblock --from blocks.ndjson')).toMatchObject({ code: 2, writes: [] })
})

test.each([
  'members unblock --from none.ndjson',
  'members unblock --from none.ndjson --user bob --all-rooms',
  'members block ROOM --user bob --yes --save blocks.ndjson',
])('the command “%s” exits 2 and sends no write', async (line) => {
  const { at, room } = await createClass()
  expect(await at.run(line.replace('ROOM', room))).toMatchObject({ code: 2, writes: [] })
})

test('members unblock --all-rooms names the rooms in its prompt', async () => {
  const { at } = await createClass()
  const line = 'members unblock --user bob --all-rooms'
  expect(await at.run(line)).toMatchObject({ code: 10, writes: [] })
  at.world.requests.length = 0
  const { host, done } = at.world.start(line.split(' '), { tty: true, columns: 400 })
  setImmediate(() => host.type('n\n'))
  const { code, stderr } = await done
  expect(code).toBe(10)
  expect(stderr).toMatch(/Unblock user bob in room “Algebra”/)
})

test('workspace diff reports an unblocked member, and workspace apply --reblock blocks only this member', async () => {
  const { at, room, chess } = await createClass()
  expect((await at.diff()).code).toBe(0)
  await at.run('members unblock --user bob --all-rooms --yes')
  const diff = await at.diff()
  expect(diff.code).toBe(9)
  expect(ofMembers(diff)).toEqual([unblocked])
  expect(diff.stderr).toContain('meetroom workspace apply --reblock school.yaml')
  expect(await at.run(`${apply} --prune=members`)).toMatchObject({ code: 8, writes: [] })
  const before = at.lock()
  const again = await at.run(`${apply} --reblock`)
  expect(again).toMatchObject({ code: 0, writes: [expect.stringMatching(/^PUT .*"is_blocked":true/)] })
  expect(await at.members(room)).toEqual(['ada guest', 'bob guest blocked'])
  expect(await at.members(chess)).toEqual(['bob guest'])
  expect(at.lock()).toEqual(before)
  expect((await at.diff()).code).toBe(0)
})

test('workspace apply of a plan with --reblock retries a failed block in a second run', async () => {
  const { at, room } = await createClass()
  await at.run('members unblock --user bob --all-rooms --yes')
  const diff = await at.run('workspace diff school.yaml --out plan.json')
  expect(diff.stderr).toContain(
    'hint: plan to block these members again with: meetroom workspace diff --reblock --out plan.json school.yaml',
  )
  await at.run('workspace diff school.yaml --reblock --out plan.json')
  at.world.intercept = async (request, next) =>
    request.method === 'PUT' ? { ...(await next({ ...request, body: '{"is_blocked":"x"}' })) } : next()
  expect((await at.run(`${apply} --plan plan.json`)).code).not.toBe(0)
  at.world.intercept = undefined
  expect(ofMembers(await at.diff())).toEqual([unblocked])
  expect((await at.run(`${apply} --plan plan.json`)).code).toBe(0)
  expect(await at.members(room)).toEqual(['ada guest', 'bob guest blocked'])
})

test('workspace diff plans no block if the lock file records no blocks', async () => {
  const { at } = await createClass()
  await at.run('members unblock --user bob --all-rooms --yes')
  const lock = at.lock()
  for (const section of lock.sections)
    for (const room of Object.values<any>(section.rooms)) delete room.blocks
  at.write(JSON.stringify(lock), 'school.yaml.lock')
  expect(ofMembers(await at.diff())).toEqual(['* not_in_file member algebra/bob'])
})

test('workspace apply --prune blocks a member who left, returned and left again', async () => {
  const { at, room } = await createClass()
  at.write(declare('ada', 'bob'))
  expect((await at.run(`${apply} --prune=members`)).code).toBe(0)
  expect(await at.members(room)).toEqual(['ada guest', 'bob guest'])
  at.write(declare('ada'))
  expect(ofMembers(await at.diff('--prune=members'))).toEqual([removed])
  expect((await at.run(`${apply} --prune=members`)).code).toBe(0)
  expect(await at.members(room)).toEqual(['ada guest', 'bob guest blocked'])
})

test('workspace apply --prune blocks a member who returned by members unblock and left again', async () => {
  const { at } = await createClass()
  await at.run('members unblock --user bob --all-rooms --yes')
  at.write(declare('ada', 'bob'))
  expect(await at.run(apply)).toMatchObject({ code: 0, writes: [] })
  at.write(declare('ada'))
  expect(ofMembers(await at.diff('--prune=members'))).toEqual([removed])
})

test('workspace diff reports an unblocked member after workspace apply failed to unblock the member', async () => {
  const { at } = await createClass()
  const before = at.lock()
  at.write(declare('ada', 'bob'))
  at.world.intercept = async (request, next) =>
    request.method === 'PUT' ? { ...(await next({ ...request, body: '{"is_blocked":"x"}' })) } : next()
  expect((await at.run(apply)).code).not.toBe(0)
  at.world.intercept = undefined
  expect(at.lock()).toEqual(before)
  await at.run('members unblock --user bob --all-rooms --yes')
  at.write(declare('ada'))
  expect(ofMembers(await at.diff('--prune=members'))).toEqual([unblocked])
})

test('workspace apply --prune blocks a returned member after a run that was killed at the unblock', async () => {
  const { at } = await createClass()
  at.write(declare('ada', 'bob'))
  let lock = ''
  at.world.intercept = async (request, next) => {
    const response = await next()
    if (request.method === 'PUT') lock = JSON.stringify(at.lock())
    return response
  }
  expect((await at.run(apply)).code).toBe(0)
  at.world.intercept = undefined
  at.write(lock, 'school.yaml.lock')
  at.write(declare('ada'))
  expect(ofMembers(await at.diff('--prune=members'))).toEqual([removed])
})
