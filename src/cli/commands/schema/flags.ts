import type { Argument, Option } from 'commander'
import type { FlagKind } from '../../input/input.ts'
import type { RowOf } from '../../output/views/rows.ts'

export type FlagDescription = RowOf<'commands'>['flags'][number]

export function describeFlag(option: Option): FlagDescription {
  const takesValue = option.required || option.optional
  const { kind, repeatable } = (option.parseArg ?? {}) as FlagKind
  return {
    name: option.long ?? option.flags,
    usage: option.flags,
    description: option.description,
    type: takesValue ? (kind ?? inferType(option.flags)) : 'boolean',
    ...(option.argChoices && { choices: option.argChoices }),
    repeatable: repeatable === true || option.variadic,
    required: option.mandatory,
    default: takesValue ? (option.defaultValueDescription ?? option.defaultValue ?? null) : false,
  }
}

const inferType = (flags: string): 'number' | 'string' => (/<(n|factor)>$/.test(flags) ? 'number' : 'string')

export function describeArgument(argument: Argument): RowOf<'commands'>['arguments'][number] {
  return {
    name: argument.name(),
    description: argument.description,
    type: 'string',
    repeatable: argument.variadic,
    required: argument.required,
    default: argument.defaultValue ?? null,
  }
}
