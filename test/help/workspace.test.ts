import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { recipe, runLine } from '../helpers/shell.ts'
import { createWorld } from '../helpers/world.ts'

const topic = readFileSync(resolve(import.meta.dirname, '../../src/help/workspace.md'), 'utf8')

test('the commands of the workspace topic print the documented output', async () => {
  const world = await createWorld()
  const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
  const blocks = topic.matchAll(/<!-- (file|session) ?(\S*) ?-->\n```\w+\n([\s\S]*?)```/g)
  let commands = 0
  for (const [, kind, name = '', text = ''] of blocks) {
    if (kind === 'file') {
      writeFileSync(join(world.dir, name), text)
      continue
    }
    const [first = ''] = text.split('\n')
    const { stdout, stderr } = await world.run(first.replace('$ meetroom ', ''), { env })
    expect(`${first}\n${stdout}${stderr}`).toBe(text)
    commands++
  }
  expect(commands).toBe(2)
})

test('workspace apply of the example file changes nothing on the second run', async () => {
  const world = await createWorld()
  const [, text = ''] = /<!-- file school\.yaml -->\n```yaml\n([\s\S]*?)```/.exec(topic) ?? []
  writeFileSync(join(world.dir, 'school.yaml'), text)
  expect((await world.run('workspace apply school.yaml --yes')).stderr).toContain('applied 5 of 5 changes')
  expect((await world.run('workspace apply school.yaml --yes')).stderr).toBe('nothing to change\n')
})

test('the recipe for a drift check exits 9 only if the workspace differs from the file', async () => {
  const world = await createWorld()
  await world.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
  const [write = '', check = ''] = recipe('Keep the [workspace](workspace.md) in git')
  expect(await runLine(world, write)).toMatchObject({ code: 0 })
  expect(await runLine(world, check)).toMatchObject({ code: 0 })
  await world.send('PUT', '/users/ada', { name: 'Somebody else' })
  expect(await runLine(world, check)).toMatchObject({ code: 9 })
})
