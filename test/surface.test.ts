import { expect, test } from 'vitest'
import { argumentTerm, leaves, wholeProgram } from './helpers/tree.ts'

// Scripts rely on these names: changing one breaks scripts.
test('commands and flags are those that scripts rely on', async () => {
  const root = await wholeProgram()
  const globals = root.options.map((option) => option.flags)
  const commands = (await leaves()).map(({ words, command }) => {
    const names = [...(command.parent?.aliases() ?? []), ...command.aliases()]
    const line = [...words, ...command.registeredArguments.map(argumentTerm)].join(' ')
    const flags = command.options.map((option) => `    ${option.flags}`)
    return [line + (names.length > 0 ? `   (also ${names.join(', ')})` : ''), ...flags].join('\n')
  })
  await expect(
    `${['meetroom', ...globals.map((flag) => `    ${flag}`), ...commands].join('\n')}\n`,
  ).toMatchFileSnapshot('fixtures/surface.txt')
})
