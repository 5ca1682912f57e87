import { Command } from 'commander'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { importFlags } from '../../../src/cli/import/read/import-flags.ts'
import { readGivenOptions } from '../../../src/cli/kernel/given.ts'

function parseFlags(words: readonly string[]) {
  const program = new Command()
    .option('-o, --output <format>')
    .option('--local')
    .option('--no-color')
    .exitOverride()
  const command = importFlags(program.command('import'), 'rooms').action(() => {})
  program.parse(['import', ...words], { from: 'user' })
  return {
    options: readGivenOptions(command),
    values: { ...command.optsWithGlobals(), given: undefined },
  }
}

const text = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
const option = fc.oneof(
  fc.constantFrom(['--local'], ['--no-color'], ['--skip-invalid'], ['--no-journal'], ['--fail-fast']),
  fc.constantFrom(['-o', 'json'], ['--output=csv'], ['--if-exists', 'skip'], ['--rate', '2/s']),
  fc.tuple(fc.constantFrom('--map', '--journal', '--failed-out'), text),
  fc.nat(255).map((n) => ['--concurrency', String(n + 1)]),
)

test('the given flags of an import stay the same after their long forms are parsed again', () => {
  fc.assert(
    fc.property(fc.array(option, { maxLength: 8 }), (options) => {
      const first = parseFlags(options.flat())
      const second = parseFlags(first.options.flat())
      expect(second).toEqual(first)
    }),
  )
})

test('the given flags of an import are only typed flags, by their long names, with the global flags first', () => {
  expect(
    parseFlags(['--map', 'a=b', '--no-journal', '-o', 'json', '--map', 'c=d', '--rate', '2/s']).options,
  ).toEqual([['--output', 'json'], ['--map', 'a=b'], ['--map', 'c=d'], ['--no-journal'], ['--rate', '2']])
})
