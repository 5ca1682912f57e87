import type { Host, Output, Visible } from '../../../host.ts'
import { composed } from './visible.ts'

type Paint = (text: Visible) => Visible

const paints = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const

export type Style = Record<(typeof paints)[number], Paint>

function createStyle(paint: (name: keyof Style) => Paint): Style {
  return Object.fromEntries(paints.map((name) => [name, paint(name)])) as Style
}

/** Returns the colors of a stream. `--no-color` and NO_COLOR have priority over FORCE_COLOR. */
export async function selectStyle(stream: Output, env: Host['env'], wanted: boolean): Promise<Style> {
  if (!hasColors(stream, env, wanted)) return createStyle(() => (text) => text)
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return createStyle((name) => (text) => composed(chalk[name](text)))
}

function hasColors(stream: Output, env: Host['env'], wanted: boolean): boolean {
  if (!wanted || env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stream.isTTY && env['TERM'] !== 'dumb'
}

/** Returns the width of a table, in columns; undefined if the output is not a terminal. */
export function readTerminalWidth(stream: Output, env: Host['env']): number | undefined {
  if (!stream.isTTY) return undefined
  const columns = Number(env['COLUMNS'])
  return Number.isInteger(columns) && columns > 0 ? columns : stream.columns || 80
}
