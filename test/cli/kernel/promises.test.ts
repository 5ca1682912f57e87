import type { Option } from 'commander'
import { expect, test } from 'vitest'
import { IdArgument, IdOption } from '../../../src/cli/input/id-arguments.ts'
import { NamedArgument, NamedOption } from '../../../src/cli/names/arguments.ts'
import { leaves, wholeProgram } from '../../helpers/tree.ts'

const sampleValue = ({ long, argChoices, required }: Option) => {
  const values: Record<string, string> = {
    '--timeout': '5',
    '--query': 'id',
    '--retries': '1',
    '--delimiter': ';',
  }
  return required ? [argChoices?.[0] ?? values[long ?? ''] ?? 'x'] : []
}

test('each global flag except --version can be placed before and after the name of each command', async () => {
  const commands = (await leaves()).filter(({ words }) => words[0] !== 'help')
  const program = await wholeProgram()
  for (const { words, command } of commands)
    for (const option of program.options) {
      const { long = '' } = option
      if (long === '--version') continue
      const needed = command.options.flatMap((own) =>
        own.mandatory ? [own.long ?? '', own.long === '--to' ? 'http://h.test/' : 'x'] : [],
      )
      const args = command.registeredArguments.map((argument) =>
        argument.name() === 'base-url' ? 'https://h.test' : (argument.argChoices?.[0] ?? 'x'),
      )
      const flag = [long, ...sampleValue(option)]
      for (const argv of [
        [...flag, ...words, ...args, ...needed],
        [...words, ...args, ...needed, ...flag],
      ]) {
        await expect(program.parseAsync(argv, { from: 'user' }), argv.join(' ')).resolves.toBeDefined()
      }
    }
})

test('each argument and flag for a room or user accepts a name, except in local fail, rooms wait and users create', async () => {
  const isNameable = ({ kind }: IdArgument | IdOption) => kind === 'room' || kind === 'user'
  const withoutName = (await leaves()).flatMap(({ words, command }) => [
    ...command.registeredArguments
      .filter((argument) => argument instanceof IdArgument && isNameable(argument))
      .filter((argument) => !(argument instanceof NamedArgument))
      .map((argument) => `${words.join(' ')} <${argument.name()}>`),
    ...command.options
      .filter((option) => option instanceof IdOption && isNameable(option))
      .filter((option) => !(option instanceof NamedOption))
      .map(({ long }) => `${words.join(' ')} ${long}`),
  ])
  // `rooms wait` looks the name up in its polls, to retry temporary failures.
  expect(withoutName.sort()).toEqual(['local fail --id', 'rooms wait <room>', 'users create <user-id>'])
})
