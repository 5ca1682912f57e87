import { expect, test } from 'vitest'
import { createProcessHost } from '../src/host.ts'

test('sleep rejects with the abort reason of its signal', async () => {
  const { sleep } = createProcessHost()
  const reason = new Error('interrupted')
  await expect(sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason)
  const controller = new AbortController()
  const pause = sleep(60_000, controller.signal)
  controller.abort(reason)
  await expect(pause).rejects.toBe(reason)
})
