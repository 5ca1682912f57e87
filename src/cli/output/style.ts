import { Chalk, type ChalkInstance } from 'chalk'
import type { Host, Output } from '../../host.ts'

export type Style = ChalkInstance

/** Colours for one stream: `--no-color` and NO_COLOR, then FORCE_COLOR, then whether it is a terminal. */
export function styleFor(stream: Output, env: Host['env'], wanted: boolean): Style {
  return new Chalk({ level: colourLevel(stream, env, wanted) })
}

function colourLevel(stream: Output, env: Host['env'], wanted: boolean): 0 | 1 {
  if (!wanted || env['NO_COLOR']) return 0
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced === '0' || forced === 'false' ? 0 : 1
  return stream.isTTY && env['TERM'] !== 'dumb' ? 1 : 0
}

/** Width that a table may take, in columns; undefined when it goes to no terminal. */
export function widthOf(stream: Output, env: Host['env']): number | undefined {
  if (!stream.isTTY) return undefined
  const columns = Number(env['COLUMNS'])
  return Number.isInteger(columns) && columns > 0 ? columns : (stream.columns ?? 80)
}
