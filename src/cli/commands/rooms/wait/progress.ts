import { formatDuration } from '../../../../duration.ts'
import type { Context } from '../../../kernel/context.ts'
import { truncate } from '../../../output/formats/fit.ts'
import { visible } from '../../../output/terminal/visible.ts'
import type { Deadline } from './deadline.ts'

export function createProgress(
  { host, flags, statusLine, redact }: Context,
  what: string,
  { wholeMs, leftMs }: Deadline,
): (soFar: string) => void {
  if (flags.quiet || !host.stderr.isTTY) return () => {}
  const whole = formatDuration(wholeMs)
  return (soFar) => {
    const gone = formatDuration(Math.floor((wholeMs - leftMs()) / 1000) * 1000)
    const line = `waiting for ${what} (${gone} of ${whole}): ${soFar}`
    // Some terminals report a width of 0.
    statusLine.show(truncate(visible(redact(line)), (host.stderr.columns || 80) - 1))
  }
}
