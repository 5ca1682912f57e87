import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Tally } from '../../../src/cli/run/tally.ts'
import { type Status, statuses } from '../../../src/client/outcome.ts'
import {
  AuthError,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  OutputError,
  UsageError,
} from '../../../src/errors.ts'

function createTally(...ended: Status[]): Tally {
  const tally = new Tally(4, (tally) => `${tally.tried} of ${tally.total}`)
  for (const status of ended) tally.add({ status })
  return tally
}

const done = ['ok', 'ok', 'ok'] as const
const refused = new AuthError('the key is refused')
const unreachable = new NetworkError('no response')
const interrupted = new InterruptedError('SIGINT')
const unwritable = new OutputError('the disk is full')
const changed = new UsageError('the file has changed')

describe('the exit code of a run', () => {
  test.each<[what: string, ended: readonly Status[], fatal: MeetroomError | undefined, code: number]>([
    ['all done', [...done, 'ok'], undefined, 0],
    ['all done or skipped', [...done, 'skipped'], undefined, 0],
    ['all skipped', ['skipped', 'skipped', 'skipped', 'skipped'], undefined, 0],
    [
      'all planned without a failure',
      ['would_create', 'would_create', 'would_overwrite', 'would_skip'],
      undefined,
      0,
    ],
    ['one failed', [...done, 'failed'], undefined, 8],
    ['one invalid', [...done, 'invalid'], undefined, 8],
    ['one with an unknown outcome', [...done, 'unknown'], undefined, 8],
    ['one planned to fail', ['would_create', 'would_create', 'would_create', 'would_fail'], undefined, 8],
    ['one skipped, the others failed', ['skipped', 'failed', 'failed', 'failed'], undefined, 8],
    ['all failed', ['failed', 'failed', 'failed', 'failed'], undefined, 1],
    ['all planned to fail', ['would_fail', 'would_fail', 'would_fail', 'would_fail'], undefined, 1],
    ['all failed or unknown', ['failed', 'failed', 'failed', 'unknown'], undefined, 7],
    ['the limit of failures is reached', ['failed', 'unsent', 'unsent', 'unsent'], undefined, 1],
    [
      'the limit of failures is reached after some are done',
      ['ok', 'failed', 'unsent', 'unsent'],
      undefined,
      8,
    ],
    ['stopped by a refused key before any item is done', ['failed', 'unsent'], refused, 4],
    ['stopped by a refused key after some are done', ['ok', 'unsent'], refused, 8],
    ['stopped by a refused key in a dry run', ['would_create', 'unsent'], refused, 4],
    ['stopped by an unreachable service before any item is done', ['failed'], unreachable, 5],
    ['stopped by an unreachable service after some are done', ['skipped', 'failed'], unreachable, 8],
    ['interrupted', [...done, 'unsent'], interrupted, 130],
    ['stopped by a full disk', [...done, 'unsent'], unwritable, 74],
    ['stopped by an input file that changed', [...done, 'unsent'], changed, 2],
  ])('a run with the outcome “%s” exits with the documented code', (_what, ended, fatal, code) => {
    expect(createTally(...ended).ending({ fatal }).error?.exitCode ?? 0).toBe(code)
  })
})

test('a run exits 5 if every failure is a missing response, and 1 after another kind of failure', () => {
  const unanswered = { status: 'failed', error: unreachable } as const
  const tally = createTally('unsent')
  tally.add(unanswered)
  tally.add(unanswered)
  expect(tally.ending({}).error?.exitCode).toBe(5)
  tally.add({ status: 'failed' })
  expect(tally.ending({}).error?.exitCode).toBe(1)
})

test('a fatal error is reported separately only if no item failed and the run was not interrupted', () => {
  expect(createTally('ok').ending({ fatal: refused }).reported).toBe(refused)
  expect(createTally('failed').ending({ fatal: refused }).reported).toBeUndefined()
  expect(createTally('ok').ending({ fatal: interrupted }).reported).toBeUndefined()
  expect(createTally('ok', 'failed').ending({}).reported).toBeUndefined()
})

test('the error of a failed run contains the progress of the run and the hint', () => {
  const { error } = createTally('ok', 'failed').ending({ hint: 'run it again' })
  expect(error).toMatchObject({ message: '2 of 4', hint: 'run it again' })
})

test('a tally is complete if and only if all items are tried without a failure', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...statuses), { maxLength: 4 }), (ended) => {
      const tally = createTally(...ended)
      const unsent = ended.filter((status) => status === 'unsent').length
      expect(tally.tried).toBe(ended.length - unsent)
      expect(tally.untried).toBe(4 - tally.tried)
      expect(tally.isComplete).toBe(tally.tried === 4 && tally.bad === 0)
      expect(tally.ending({}).error === undefined).toBe(tally.isComplete)
    }),
  )
})
