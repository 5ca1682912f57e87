import type { Visible } from '../../host.ts'
import type { Context } from '../kernel/context.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { Tally } from './tally.ts'

/** After so long people want to know how far a run has come, in milliseconds. */
const momentMs = 500
/** Pause between two drawings, in milliseconds. */
const pauseMs = 100
const barWidth = 24

/**
 * Shows how far a run has come, where there is a person to see it.
 * @returns to be called whenever something has ended
 */
export function showProgress({ host, flags, statusLine }: Context, tally: Tally): () => void {
  if (flags.quiet || !host.stderr.isTTY) return () => {}
  const began = host.monotonic()
  const before = tally.tried
  let drawnAt = began + momentMs - pauseMs
  return () => {
    const now = host.monotonic()
    if (now - drawnAt < pauseMs) return
    drawnAt = now
    statusLine.show(barOf(tally, (tally.tried - before) / ((now - began) / 1000)))
  }
}

function barOf({ tried, total, bad, untried }: Tally, perSecond: number): Visible {
  const full = Math.round((barWidth * tried) / total)
  const bar = visible('█'.repeat(full) + '░'.repeat(barWidth - full))
  const left = visible(inWords(untried / perSecond))
  return own`${bar} ${tried}/${total}  ${Math.round(perSecond)}/s  ${bad} failed  ${left} left`
}

function inWords(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
