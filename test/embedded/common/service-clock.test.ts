import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startInterval, startLongTimer } from '../../../src/embedded/common/clock.ts'
import { ServiceClock } from '../../../src/embedded/common/service-clock.ts'
import { testNow } from '../../helpers/host.ts'
import { testMachine } from '../../helpers/live.ts'

const settle = async () => {}

function start() {
  const machine = testMachine()
  const clock = new ServiceClock(machine)
  const calls: number[] = []
  return { machine, clock, calls, record: () => void calls.push(clock.now() - testNow) }
}

test('a new service clock runs in real time', () => {
  const { machine, clock, calls, record } = start()
  clock.after(500, record)
  machine.advance(499)
  expect(clock.now()).toBe(machine.now())
  expect(calls).toEqual([])
  machine.advance(1)
  expect(calls).toEqual([500])
  expect(machine.timers).toBe(0)
})

test('ServiceClock.advance fires timers in order at their due times, including nested timers', async () => {
  const { machine, clock, calls, record } = start()
  clock.after(3000, record)
  clock.after(1000, () => {
    record()
    clock.after(500, record)
  })
  clock.after(5001, record)
  await clock.advance(5000, settle)
  expect(calls).toEqual([1000, 1500, 3000])
  expect(clock.now()).toBe(testNow + 5000)
  machine.advance(1)
  expect(calls).toEqual([1000, 1500, 3000, 5001])
})

test('ServiceClock.advance waits for the effects of a timer before it advances further', async () => {
  const { clock, calls, record } = start()
  let pending: (() => void) | undefined
  clock.after(1000, () => {
    pending = () => void clock.after(1000, record)
  })
  await clock.advance(10_000, async () => {
    pending?.()
    pending = undefined
  })
  expect(calls).toEqual([2000])
})

test('ServiceClock.advance by a year fires a long timer on time and an interval only once', async () => {
  const { clock, calls, record } = start()
  startInterval(clock, 5000, record)
  const year = 365 * 24 * 3_600_000
  const fired: number[] = []
  startLongTimer(clock, year, () => fired.push(clock.now() - testNow))
  await clock.advance(year + 1, settle)
  expect(calls).toEqual([year + 1])
  expect(fired).toEqual([year])
})

test('a frozen service clock keeps its time until it is advanced or resumed', async () => {
  const { machine, clock, calls, record } = start()
  clock.after(1000, record)
  clock.freeze()
  machine.advance(60_000)
  expect(clock.now()).toBe(testNow)
  await clock.advance(400, settle)
  machine.advance(60_000)
  expect(clock.now()).toBe(testNow + 400)
  clock.resume()
  machine.advance(599)
  expect(calls).toEqual([])
  machine.advance(1)
  expect(calls).toEqual([1000])
})

test('freeze and resume during an advance of a service clock take effect after the advance', async () => {
  const { machine, clock } = start()
  clock.after(1000, () => clock.freeze())
  await clock.advance(2000, settle)
  machine.advance(5000)
  expect(clock.now()).toBe(testNow + 2000)
  clock.after(1000, () => clock.resume())
  await clock.advance(2000, settle)
  machine.advance(5000)
  expect(clock.now()).toBe(testNow + 9000)
})

test('a cancelled timer of a service clock never fires, and reset restores the real time', async () => {
  const { machine, clock, calls, record } = start()
  const cancel = clock.after(1000, record)
  clock.freeze()
  cancel()
  await clock.advance(5000, settle)
  clock.reset()
  machine.advance(5000)
  expect(calls).toEqual([])
  expect(clock.now()).toBe(machine.now())
  expect(machine.timers).toBe(0)
})

const step = fc.oneof(
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(5000) }),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(5000) }),
  fc.record({ kind: fc.constant('timer' as const), ms: fc.nat(5000) }),
  fc.record({ kind: fc.constantFrom('freeze' as const, 'resume' as const), ms: fc.constant(0) }),
)

test('each due timer of a service clock fires once at its time for any sequence of clock operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { machine, clock } = start()
      let isFrozen = false
      let expected = testNow
      const due: number[] = []
      const fired: [due: number, at: number][] = []
      for (const { kind, ms } of steps) {
        if (kind === 'pass') machine.advance(ms)
        else if (kind === 'advance') await clock.advance(ms, settle)
        else if (kind === 'freeze') clock.freeze()
        else if (kind === 'resume') clock.resume()
        else {
          const at = clock.now() + ms
          due.push(at)
          clock.after(ms, () => fired.push([at, clock.now()]))
        }
        if (kind === 'advance' || (kind === 'pass' && !isFrozen)) expected += ms
        if (kind === 'freeze') isFrozen = true
        if (kind === 'resume') isFrozen = false
        expect(clock.now()).toBe(expected)
        expect(clock.monotonic()).toBe(expected - testNow)
      }
      await clock.advance(0, settle)
      expect(fired.every(([at, now]) => at === now)).toBe(true)
      expect(fired.map(([at]) => at).toSorted()).toEqual(due.filter((at) => at <= expected).toSorted())
    }),
  )
})
