import type { Visible } from '../../host.ts'
import type { Context } from '../kernel/context.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { PaceController } from './pace-controller.ts'
import type { Tally } from './tally.ts'

/** Delay before the first progress line, in milliseconds. */
const delayMs = 500
const intervalMs = 100
const barWidth = 24

/** Returns a function to call after each outcome. */
export function showProgress(
  { host, flags, statusLine }: Context,
  tally: Tally,
  pace: Pick<PaceController, 'concurrency'>,
): () => void {
  if (flags.quiet || !host.stderr.isTTY) return () => {}
  const startedAt = host.monotonic()
  const initial = tally.tried
  let drawnAt = startedAt + delayMs - intervalMs
  return () => {
    const now = host.monotonic()
    if (now - drawnAt < intervalMs) return
    drawnAt = now
    const progress = formatProgress(tally, (tally.tried - initial) / ((now - startedAt) / 1000))
    statusLine.show(flags.verbose ? own`${progress}  ${pace.concurrency} concurrent` : progress)
  }
}

function formatProgress({ tried, probableTotal: total, bad }: Tally, perSecond: number): Visible {
  const full = Math.round((barWidth * tried) / total)
  const bar = visible('█'.repeat(full) + '░'.repeat(barWidth - full))
  const remaining = visible(formatRemaining((total - tried) / perSecond))
  return own`${bar} ${tried}/${total}  ${Math.round(perSecond)}/s  ${bad} failed  ${remaining} left`
}

function formatRemaining(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
