import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { launcher } from '../helpers/built.ts'
import type { Ready } from '../helpers/serving.ts'
import { canTrace, toldTooEarly, traceServe } from '../helpers/syscalls.ts'
import { buildVariant, mutants, removeVariants } from '../helpers/variants.ts'
import { tempDir } from '../helpers/world.ts'
import { counted, full, sized } from './size.ts'

// The service must sync a write before it acknowledges or shows the write. kill -9 cannot reveal a missing
// sync, because the operating system keeps written data.

const count = counted('crash (order)')
removeVariants()

const changes = sized(10, 300)
const markOf = (n: number) => `mark-${String(n).padStart(6, '0')}.`
const marks = Array.from({ length: changes }, (_, n) => markOf(n))

async function renameAndRead({ base_url, api_key_file }: Ready): Promise<void> {
  const headers = {
    authorization: `Bearer ${readFileSync(api_key_file, 'utf8').trim()}`,
    'content-type': 'application/json',
  }
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(base_url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    expect(answer.status).toBe(200)
    return (await answer.json()) as { room: { id: string } }
  }
  const { room } = await ask('POST', '/rooms', { name: 'Room', type: 'open' })
  let over = false
  const busy = async (work: () => Promise<unknown>) => {
    while (!over) await work()
  }
  const others = [
    ...[1, 2, 3].map(() => busy(() => ask('GET', `/rooms/${room.id}`))),
    busy(() => ask('POST', '/users', { user_id: 'ada' })),
  ]
  for (const name of marks) await ask('PUT', `/rooms/${room.id}`, { name })
  over = true
  await Promise.all(others)
}

const early = async (script: string) =>
  toldTooEarly(await traceServe(script, tempDir(), renameAndRead), marks)

describe.runIf(canTrace)('the order of system calls', () => {
  test(`the service syncs each of ${changes} writes to disk before it acknowledges the write`, {
    timeout: 600_000,
  }, async () => {
    expect(await early(launcher)).toEqual([])
    count.add('writes followed to their sync', changes)
  })

  const mistakes = [
    ['does not sync', 'before it was synced'],
    ['shows uncommitted data', 'before it was written'],
    ['acknowledges a write before it is on disk', 'before it was written'],
  ] as const
  // A quick run tests only the first mistake, because crash-kill.test.ts always tests the last mistake.
  test.each(mistakes.slice(0, sized(1, 3)))(
    'the trace of system calls reveals a service that %s',
    { timeout: 600_000 },
    async (mutant, what) => {
      const script = await buildVariant(mutants[mutant])
      // Only a read between a write and its commit reveals some mistakes. On a busy machine, a run may have
      // no such read.
      let found: string[] = []
      for (let run = 0; run < 8 && found.length === 0; run++)
        found = (await early(script)).filter((line) => line.endsWith(what))
      expect(found).not.toEqual([])
      count.add('mutants caught')
    },
  )
})

test.runIf(full)(
  'buildVariant rejects an edit that does not match the source',
  {
    timeout: 120_000,
  },
  async () => {
    await expect(buildVariant([['src/embedded/store/store.ts', 'no such text', '']])).rejects.toThrow(
      'has changed',
    )
    await expect(buildVariant([['src/no-such-file.ts', 'a', 'b']])).rejects.toThrow(
      'is not in the bundle any more',
    )
  },
)
