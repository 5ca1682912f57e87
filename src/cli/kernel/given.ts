import type { Command, Option } from 'commander'

/** Long name and value of a given flag: `['--rate', '20']`, `['--local']`. */
export type GivenOption = readonly [flag: string, ...value: string[]]

export function readGivenOptions(command: Command): GivenOption[] {
  const inherited = command.parent ? readGivenOptions(command.parent) : []
  return [...inherited, ...command.options.flatMap((option) => formatOption(command, option))]
}

function formatOption(command: Command, option: Option): GivenOption[] {
  const { long, negate } = option
  const name = option.attributeName()
  if (long === undefined || command.getOptionValueSource(name) !== 'cli') return []
  const value: unknown = command.getOptionValue(name)
  // `--journal FILE` and `--no-journal` share one property.
  if (negate !== (value === false)) return []
  return negate || option.isBoolean() ? [[long]] : [value].flat().map((each) => [long, formatValue(each)])
}

const formatValue = (value: unknown) =>
  value instanceof Map ? [...value].map((pair) => pair.join('=')).join(',') : String(value)
