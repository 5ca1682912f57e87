import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { launcher } from '../helpers/built.ts'
import type { Ready } from '../helpers/serving.ts'
import { canTrace, toldTooEarly, traceServe } from '../helpers/syscalls.ts'
import { buildVariant, mutants, removeVariants } from '../helpers/variants.ts'
import { tempDir } from '../helpers/world.ts'
import { counted, full, sized } from './size.ts'

// Nobody is told of a write before it is synced: neither who made it nor who reads. kill -9 cannot show a missing sync,
// as the system keeps what was written; the order of the system calls can.

const count = counted('crash (order)')
removeVariants()

const changes = sized(25, 300)
const markOf = (n: number) => `mark-${String(n).padStart(6, '0')}.`
const marks = Array.from({ length: changes }, (_, n) => markOf(n))

/** Renames a room again and again, while others read it and other rooms are made. */
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
  test(`the order of system calls shows that none of ${changes} writes is acknowledged before its sync`, {
    timeout: 600_000,
  }, async () => {
    expect(await early(launcher)).toEqual([])
    count.add('writes followed to their sync', changes)
  })

  const mistakes = [
    ['does not sync', 'before it was synced'],
    ['shows what is not committed', 'before it was written'],
    ['acknowledges a write before it is on disk', 'before it was written'],
  ] as const
  // The quick form of crash-kill.test.ts tries the last one.
  test.each(mistakes.slice(0, sized(1, 3)))(
    'the order of system calls reveals a service that %s',
    { timeout: 600_000 },
    async (mutant, what) => {
      const script = await buildVariant(mutants[mutant])
      // A read has to fall between a write and its commit: on a busy machine, a run may go by without one.
      let found: string[] = []
      for (let run = 0; run < 8 && found.length === 0; run++)
        found = (await early(script)).filter((line) => line.endsWith(what))
      expect(found).not.toEqual([])
      count.add('mutants caught')
    },
  )
})

test.runIf(full)(
  'a build variant whose edit does not match the source causes an error',
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
