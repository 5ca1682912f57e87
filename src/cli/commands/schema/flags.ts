import type { Argument, Option } from 'commander'
import type { FlagKind } from '../../input/input.ts'

/** One flag, as `meetroom commands` tells of it. */
export interface FlagFacts {
  name: string
  /** As help writes it. */
  usage: string
  description: string
  type: 'boolean' | 'integer' | 'number' | 'string'
  choices?: readonly string[]
  repeatable: boolean
  required: boolean
  /** Null where leaving it out is different from every value. */
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

/** What the settings read has no parser of its own. */
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
