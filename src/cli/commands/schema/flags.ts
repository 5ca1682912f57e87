import type { Argument, Option } from 'commander'
import type { FlagKind } from '../../input/input.ts'

/** Description of a flag in `meetroom commands`. */
export interface FlagFacts {
  name: string
  usage: string
  description: string
  type: 'boolean' | 'integer' | 'number' | 'string'
  choices?: readonly string[]
  repeatable: boolean
  required: boolean
  /** Null if an omitted flag differs from every value. */
  default: unknown
}

export interface ArgumentFacts {
  name: string
  description: string
  type: 'string'
  repeatable: boolean
  required: boolean
  default: unknown
}

export function flagFacts(option: Option): FlagFacts {
  const takesValue = option.required || option.optional
  const { kind, repeatable } = (option.parseArg ?? {}) as FlagKind
  return {
    name: option.long ?? option.flags,
    usage: option.flags,
    description: option.description,
    type: takesValue ? (kind ?? typeBy(option.flags)) : 'boolean',
    ...(option.argChoices && { choices: option.argChoices }),
    repeatable: repeatable === true || option.variadic,
    required: option.mandatory,
    default: takesValue ? (option.defaultValueDescription ?? option.defaultValue ?? null) : false,
  }
}

/** Derives the type of a flag whose value the settings parse. */
function typeBy(flags: string): 'number' | 'string' {
  return /<(n|factor)>$/.test(flags) ? 'number' : 'string'
}

export function argumentFacts(argument: Argument): ArgumentFacts {
  return {
    name: argument.name(),
    description: argument.description,
    type: 'string',
    repeatable: argument.variadic,
    required: argument.required,
    default: argument.defaultValue ?? null,
  }
}
