import type { Host, Output } from '../../host.ts'

type Paint = (text: string) => string

/** The colours and weights that carry meaning here. */
export type Style = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan', Paint>

const asItIs: Paint = (text) => text
const plain: Style = {
  bold: asItIs,
  dim: asItIs,
  red: asItIs,
  green: asItIs,
  yellow: asItIs,
  blue: asItIs,
  magenta: asItIs,
  cyan: asItIs,
}

/** Colours for one stream: `--no-color` and NO_COLOR, then FORCE_COLOR, then whether it is a terminal. */
export async function styleFor(stream: Output, env: Host['env'], wanted: boolean): Promise<Style> {
  if (!hasColours(stream, env, wanted)) return plain
  const { Chalk } = await import('chalk')
  return new Chalk({ level: 1 })
}

function hasColours(stream: Output, env: Host['env'], wanted: boolean): boolean {
  if (!wanted || env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stream.isTTY && env['TERM'] !== 'dumb'
}

/** Width that a table may take, in columns; undefined when it goes to no terminal. */
export function widthOf(stream: Output, env: Host['env']): number | undefined {
  if (!stream.isTTY) return undefined
  const columns = Number(env['COLUMNS'])
  return Number.isInteger(columns) && columns > 0 ? columns : (stream.columns ?? 80)
}
