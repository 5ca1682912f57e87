import type { Context } from '../../context.ts'

/** How far a run has come, on a terminal. */
export interface Progress {
  update(done: number, failed: number): void
  stop(): void
}

/** A bar on standard error, where there is a person to see it. */
export async function startProgress({ host, flags }: Context, total: number): Promise<Progress> {
  if (!host.stderr.isTTY || flags.quiet || total === 0) return { update() {}, stop() {} }
  const { default: cliProgress } = await import('cli-progress')
  const bar = new cliProgress.SingleBar({
    stream: host.prompt,
    format: '{bar} {value}/{total}  {rate}/s  {failed} failed  {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    fps: 10,
    etaBuffer: 200,
    // Its own listener would take ^C away from us.
    gracefulExit: false,
  })
  const began = host.monotonic()
  bar.start(total, 0, { failed: 0, rate: 0 })
  return {
    update(done, failed) {
      const seconds = Math.max((host.monotonic() - began) / 1000, 0.1)
      bar.update(done, { failed, rate: Math.round(done / seconds) })
    },
    stop: () => bar.stop(),
  }
}
