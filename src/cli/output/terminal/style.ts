import type { Host, Output, Visible } from '../../../host.ts'
import { markVisible } from './visible.ts'

type Paint = (text: Visible) => Visible

const paints = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const

export type Style = Record<(typeof paints)[number], Paint>

function createStyle(paint: (name: keyof Style) => Paint): Style {
  return Object.fromEntries(paints.map((name) => [name, paint(name)])) as Style
}

export async function selectStyle(stream: Output, env: Host['env'], wanted: boolean): Promise<Style> {
  if (!hasColors(stream, env, wanted)) return createStyle(() => (text) => text)
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return createStyle((name) => (text) => markVisible(chalk[name](text)))
}

export function hasColors(stream: Output, env: Host['env'], wanted: boolean): boolean {
  if (!wanted || env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stream.isTTY && env['TERM'] !== 'dumb'
}

export function readTerminalWidth(stream: Output, env: Host['env']): number | undefined {
  if (!stream.isTTY) return undefined
  const columns = Number(env['COLUMNS'])
  return Number.isInteger(columns) && columns > 0 ? columns : stream.columns || 80
}
