import { expect, test } from 'vitest'
import { readTopicFile } from '../helpers/documentation.ts'
import { createWorld } from '../helpers/world.ts'

/** The commands of a recipe of the README, by a part of it, as words; what follows a pipe or goes to a file is left out. */
function commandsOf(part: string): string[][] {
  const readme = readTopicFile('recipes')
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const block = blocks.find((found) => found.includes(part)) ?? ''
  return block
    .split('\n')
    .flatMap((line) => /^(?:\w+=\$\()?meetroom ([^|>)]*(?:'[^']*'[^|>)]*)*)/.exec(line)?.[1] ?? [])
    .map((line) => [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word))
}

test.each([
  ['name:Weekly sync', 2],
  ['--query user.access_token', 1],
  ["--query 'rooms", 3],
  ['--count-by type', 3],
  ['users list --all -o csv', 3],
])('each command of the recipe with “%s” exits 0 and prints a result', async (part, count) => {
  const world = await createWorld()
  await world.send('POST', '/users', { user_id: 'ada' })
  await world.send('POST', '/rooms', { name: 'Weekly sync', type: 'private' })
  const commands = commandsOf(part)
  expect(commands).toHaveLength(count)
  for (const argv of commands) {
    const { code, stdout, stderr } = await world.run([...argv, '-q'])
    expect({ code, stderr }, argv.join(' ')).toEqual({ code: 0, stderr: '' })
    expect(stdout, argv.join(' ')).not.toBe('')
  }
})
