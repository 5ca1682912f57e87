import { expect, test } from 'vitest'
import { startInterval, startLongTimer } from '../../../src/embedded/common/clock.ts'
import { testMachine } from '../../helpers/live.ts'

const longest = 2 ** 31 - 1

function createRecorder() {
  const machine = testMachine()
  const calls: number[] = []
  return { machine, calls, work: () => void calls.push(machine.monotonic()) }
}

for (const ms of [1, longest, longest + 1, 2 * longest, 5 * longest + 12_345])
  test(`startLongTimer calls its callback once after ${ms} ms`, () => {
    const { machine, calls, work } = createRecorder()
    startLongTimer(machine, ms, work)
    machine.advance(ms - 1)
    expect(calls).toEqual([])
    machine.advance(1)
    machine.advance(2 * longest)
    expect(calls).toEqual([ms])
  })

test('startLongTimer treats a negative delay as zero', () => {
  const { machine, calls, work } = createRecorder()
  startLongTimer(machine, -5000, work)
  expect(calls).toEqual([])
  machine.advance(0)
  expect(calls).toEqual([0])
})

test('startLongTimer does not call its callback if the timer is cancelled during its delay', () => {
  const { machine, calls, work } = createRecorder()
  const cancel = startLongTimer(machine, 3 * longest, work)
  machine.advance(2 * longest + 1)
  cancel()
  machine.advance(3 * longest)
  expect(calls).toEqual([])
  expect(machine.timers).toBe(0)
})

test('startInterval calls its callback repeatedly until the interval is cancelled', () => {
  const { machine, calls, work } = createRecorder()
  const stop = startInterval(machine, 5000, work)
  machine.advance(15_000)
  stop()
  machine.advance(15_000)
  expect(calls).toEqual([5000, 10_000, 15_000])
  expect(machine.timers).toBe(0)
})

test('startInterval can be cancelled within its callback', () => {
  const { machine, calls, work } = createRecorder()
  const stop = startInterval(machine, 5000, () => {
    work()
    stop()
  })
  machine.advance(20_000)
  expect(calls).toEqual([5000])
})

test('startInterval continues after its callback throws an error', () => {
  const { machine, calls, work } = createRecorder()
  startInterval(machine, 5000, () => {
    work()
    throw new Error('this once')
  })
  expect(() => machine.advance(5000)).toThrow('this once')
  expect(() => machine.advance(5000)).toThrow('this once')
  expect(calls).toEqual([5000, 10_000])
})
