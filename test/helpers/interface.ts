import type { Option } from 'commander'
import type { CommandDescription } from '../../src/cli/commands/schema/commands.ts'
import { describeArgument, describeFlag, type FlagDescription } from '../../src/cli/commands/schema/flags.ts'
import { main } from '../../src/main.ts'
import { testHost } from './host.ts'
import { leaves } from './tree.ts'

/** Flag or argument without its description; false and null properties are omitted. */
interface Parameter {
  short?: string
  type: string
  repeatable?: true
  required?: true
  default?: unknown
}

interface CommandInterface {
  aliases: string[]
  arguments: Record<string, Parameter>
  flags: Record<string, Parameter>
  exit_codes: readonly number[]
  writes: boolean
  dry_run: boolean
}

/**
 * Compact form of a JSON Schema. `|` joins alternatives, `?` ends the name of an optional field, and `*`
 * stands for any field name.
 */
export type Shape = string | [Shape] | { '|': Shape[] } | { [field: string]: Shape }

/** Names, types and other facts that scripts rely on. */
export interface Interface {
  version: string
  commands: Record<string, CommandInterface>
  global_flags: Record<string, Parameter>
  environment: string[]
  settings: string[]
  schemas: Record<string, Shape>
}

/** Incompatible change, and the name by which a changelog entry mentions it. */
export interface Difference {
  change: string
  /** Command or schema that changes; empty for other changes. */
  command: string
  name: string
}

/** Reads the interface of the program in `src`. */
export async function currentInterface(): Promise<Interface> {
  const facts: { version: string; commands: CommandDescription[]; global_flags: FlagDescription[] } =
    JSON.parse(await outputOf('commands --json'))
  const { $defs } = JSON.parse(await outputOf('schema'))
  const commands = (await leaves()).map(({ words, command }): [string, CommandInterface] => {
    const name = words.join(' ')
    const found = facts.commands.find((fact) => fact.name === name)
    return [
      name,
      {
        aliases: [...(command.parent?.aliases() ?? []), ...command.aliases()],
        arguments: parametersOf(command.registeredArguments.map(describeArgument)),
        flags: parametersOf(command.options.flatMap(describeFlagNames)),
        exit_codes: found?.exit_codes ?? [],
        writes: found?.writes ?? false,
        dry_run: found?.dry_run ?? false,
      },
    ]
  })
  return {
    version: facts.version,
    commands: Object.fromEntries(commands),
    global_flags: parametersOf(facts.global_flags),
    environment: variablesIn(await outputOf('help environment')),
    settings: (await outputOf('config list -o ids')).trim().split('\n'),
    schemas: Object.fromEntries(
      Object.entries($defs).map(([name, schema]) => [name, shapeOf(schema as Schema)]),
    ),
  }
}

/** Describes a flag under each of its long names. */
function describeFlagNames(option: Option): FlagDescription[] {
  const flag = describeFlag(option)
  return option.short?.startsWith('--') ? [flag, { ...flag, name: option.short }] : [flag]
}

async function outputOf(line: string): Promise<string> {
  const host = testHost()
  await main(line.split(' '), host)
  return host.stdout.text
}

function parametersOf(
  facts: readonly (Omit<FlagDescription, 'usage'> & { usage?: string })[],
): Record<string, Parameter> {
  return Object.fromEntries(
    facts.map(({ name, usage, type, choices, repeatable, required, default: value }) => {
      const short = usage?.match(/^-\w(?=,)/)?.[0]
      return [
        name,
        {
          ...(short !== undefined && { short }),
          type: choices ? choices.map(literal).join('|') : type,
          ...(repeatable && { repeatable }),
          ...(required && { required }),
          ...(value !== null && value !== false && { default: value }),
        },
      ]
    }),
  )
}

function variablesIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:CI|COLUMNS|[A-Z]+(?:_[A-Z]+)+)\b/g))].sort()
}

type Schema = Record<string, any>

const literal = (value: unknown) => `'${value}'`

/** Converts a JSON Schema to its compact form. */
export function shapeOf(schema: Schema): Shape {
  const alternatives: Schema[] | undefined = schema['anyOf'] ?? schema['oneOf']
  if (alternatives) return union(alternatives.map(shapeOf))
  if ('const' in schema) return literal(schema['const'])
  if (schema['enum']) return schema['enum'].map(literal).join('|')
  if (Array.isArray(schema['type'])) return schema['type'].join('|')
  if (schema['type'] === 'array') return [shapeOf(schema['items'] ?? {})]
  if (schema['type'] === 'object') return fieldsOf(schema)
  return schema['type'] ?? 'any'
}

function fieldsOf({ properties = {}, required = [], additionalProperties }: Schema): Shape {
  const fields = Object.entries(properties).map(([name, schema]) => [
    required.includes(name) ? name : `${name}?`,
    shapeOf(schema as Schema),
  ])
  const rest = shapeOf(additionalProperties || {})
  return Object.fromEntries([...fields, ...(rest === 'any' ? [] : [['*', rest]])])
}

function union(shapes: Shape[]): Shape {
  const flat = shapes.flatMap(alternativesOf)
  return flat.every((shape) => typeof shape === 'string') ? flat.join('|') : { '|': flat }
}

/** Formats the interface as JSON, with one line per command, global flag and schema. */
export function formatInterface({
  version,
  commands,
  global_flags,
  environment,
  settings,
  schemas,
}: Interface): string {
  const lines = (values: object) =>
    Object.entries(values)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n')
  return [
    `{\n"version": ${JSON.stringify(version)},\n"commands": {\n${lines(commands)}\n},`,
    `"global_flags": {\n${lines(global_flags)}\n},`,
    `"environment": ${JSON.stringify(environment)},`,
    `"settings": ${JSON.stringify(settings)},`,
    `"schemas": {\n${lines(schemas)}\n}\n}\n`,
  ].join('\n')
}

/** Lists the changes that can break a script written for `released`. */
export function incompatibilities(released: Interface, current: Interface): Difference[] {
  return [
    ...Object.entries(released.commands).flatMap(([name, command]) =>
      commandDifferences(name, command, current.commands[name]),
    ),
    ...parameterDifferences('', '', released.global_flags, current.global_flags),
    ...(['environment', 'settings'] as const).flatMap((list) =>
      missing(released[list], current[list]).map((name) => difference('', name, `${name} is removed`)),
    ),
    ...Object.entries(released.schemas).flatMap(([name, shape]) =>
      shapeDifferences(name, '', shape, current.schemas[name]),
    ),
  ]
}

const difference = (command: string, name: string, change: string): Difference => ({ command, name, change })

const missing = <T>(released: readonly T[], current: readonly T[]) =>
  released.filter((value) => !current.includes(value))

function commandDifferences(
  name: string,
  released: CommandInterface,
  current: CommandInterface | undefined,
): Difference[] {
  if (!current) return [difference(name, name, `${name} is removed`)]
  const effects = (['writes', 'dry_run'] as const).filter((effect) => released[effect] !== current[effect])
  const [before, after] = [Object.keys(released.arguments), Object.keys(current.arguments)]
  return [
    ...missing(released.aliases, current.aliases).map((alias) =>
      difference(name, alias, `${name}: alias ${alias} is removed`),
    ),
    ...(before.every((argument, index) => argument === after[index])
      ? []
      : [difference(name, name, `${name}: arguments are ${after.join(', ')}, not ${before.join(', ')}`)]),
    ...parameterDifferences(name, name, released.arguments, current.arguments),
    ...parameterDifferences(name, '', released.flags, current.flags),
    ...missing(released.exit_codes, current.exit_codes).map((code) =>
      difference(name, String(code), `${name}: exit code ${code} is removed`),
    ),
    ...effects.map((effect) => difference(name, name, `${name}: ${effect} is ${current[effect]}`)),
  ]
}

/** @param mention name in the changelog; empty for the name of the parameter */
function parameterDifferences(
  command: string,
  mention: string,
  released: Record<string, Parameter>,
  current: Record<string, Parameter>,
): Difference[] {
  const of = (name: string, change: string) =>
    difference(command, mention || name, `${command} ${name} ${change}`.trimStart())
  const added = missing(Object.keys(current), Object.keys(released))
  return [
    ...added.filter((name) => current[name]?.required).map((name) => of(name, 'is new and required')),
    ...Object.entries(released).flatMap(([name, before]) => {
      const after = current[name]
      if (!after) return [of(name, 'is removed')]
      const changed = (['short', 'repeatable', 'default'] as const).filter(
        (property) => before[property] !== undefined && before[property] !== after[property],
      )
      return [
        ...typeDifferences(before.type, after.type).map((change) => of(name, change)),
        ...changed.map((property) => of(name, `${property} is ${after[property]}, not ${before[property]}`)),
        ...(before.default === undefined && after.default !== undefined
          ? [of(name, `default is ${after.default}`)]
          : []),
        ...(after.required && !before.required ? [of(name, 'is required')] : []),
      ]
    }),
  ]
}

/** Compares types. Accepts added literals, and any type instead of `any`. */
function typeDifferences(released: string, current: string): string[] {
  if (released === 'any' || released === current) return []
  const [before, after] = [released.split('|'), current.split('|')]
  const added = missing(after, before).filter((type) => !type.startsWith("'"))
  return missing(before, after).length > 0 || added.length > 0 ? [`is ${current}, not ${released}`] : []
}

function shapeDifferences(
  command: string,
  path: string,
  released: Shape,
  current: Shape | undefined,
): Difference[] {
  const of = (change: string) => {
    const field = path.match(/(\w+)[^\w]*$/)?.[1]
    return difference(command, field ?? command, `${command} --json: ${path || 'output'} ${change}`)
  }
  if (current === undefined) return [of('is removed')]
  if (released === 'any') return []
  const [before, after] = [alternativesOf(released), alternativesOf(current)]
  const types = (shapes: Shape[]) =>
    shapes.map((shape) => (typeof shape === 'string' ? shape : Array.isArray(shape) ? 'array' : 'object'))
  return [
    ...typeDifferences(types(before).join('|'), types(after).join('|')).map(of),
    ...before.flatMap((shape) => {
      const candidates = after
        .filter((other) => types([other])[0] === types([shape])[0])
        .map((other) => innerDifferences(command, path, shape, other))
      return candidates.toSorted((a, b) => a.length - b.length)[0] ?? []
    }),
  ]
}

function innerDifferences(command: string, path: string, released: Shape, current: Shape): Difference[] {
  if (typeof released === 'string' || typeof current === 'string') return []
  if (Array.isArray(released) && Array.isArray(current))
    return shapeDifferences(command, `${path}[]`, released[0], current[0])
  return Object.entries(released).flatMap(([key, shape]) => {
    const name = key.replace(/\?$/, '')
    const fields = current as Record<string, Shape>
    const inner = path === '' ? name : `${path}.${name}`
    if (key === name && fields[key] === undefined && fields[`${name}?`] !== undefined)
      return [difference(command, name, `${command} --json: ${inner} is optional`)]
    return shapeDifferences(command, inner, shape, fields[name] ?? fields[`${name}?`])
  })
}

function alternativesOf(shape: Shape): Shape[] {
  if (typeof shape === 'string') return shape.split('|')
  return '|' in shape ? (shape['|'] as Shape[]).flatMap(alternativesOf) : [shape]
}

function isRemoval({ change }: Difference): boolean {
  return change.endsWith(' is removed')
}

/** Last release that did not have to announce removals. */
const lastWithoutPolicy = '0.2.0'

/** Lists the breaches of the compatibility policy. */
export function policyBreaches(released: Interface, current: Interface, changelog: string): string[] {
  const sections = changelog.split(/^(?=## )/m)
  const entries = sections.find((section) => section.startsWith('## Unreleased')) ?? ''
  const last = sections.find((section) => section.startsWith(`## ${released.version}`))
  if (last === undefined) return [`the changelog has no section ${released.version}`]
  const [, announced = ''] = /^### Deprecated\n([\s\S]*?)(?=^### |(?![\s\S]))/m.exec(last) ?? []
  const hasPolicy = released.version !== lastWithoutPolicy
  return incompatibilities(released, current).flatMap((difference) => [
    ...(isMentioned(entries, difference) ? [] : [`${difference.change}: no entry`]),
    ...(hasPolicy && isRemoval(difference) && !isMentioned(announced, difference)
      ? [`${difference.change}: not announced in ${released.version}`]
      : []),
  ])
}

/** Returns true if a changelog names the change in code font, first or after leading words of the command. */
export function isMentioned(changelog: string, { command, name }: Difference): boolean {
  return [...changelog.matchAll(/`([^`]+)`/g)].some(([, code = '']) => {
    if (code === name) return true
    const words = code.split(/[ =]+/)
    const before = words.slice(0, words.indexOf(name)).join(' ')
    return words.includes(name) && (before === '' || `${command} `.startsWith(`${before} `))
  })
}
