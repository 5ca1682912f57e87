import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OperationName } from '../../src/api/endpoints.ts'
import { fits } from '../../src/api/guards.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { explainMismatch } from '../../src/api/validate.ts'
import { fieldsOf } from '../helpers/schema.ts'

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    0,
    -1.5,
    1e308,
    Number.POSITIVE_INFINITY,
    true,
    false,
    '',
    'x',
    [],
    {},
    [{}],
  ),
  fc.string(),
)

const mostly = (value: unknown) => fc.oneof({ weight: 8, arbitrary: fc.constant(value) }, odd)

/** Objects with the fields of a schema: most of them valid, some of them anything. */
function near(
  fields: readonly string[],
  special: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<unknown> {
  const right = fc.constantFrom<unknown>('text', 'text', null, 3, true)
  const field = (name: string) =>
    special[name] ?? fc.oneof({ weight: 6, arbitrary: fc.constant('x') }, right, odd)
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record(Object.fromEntries([...fields, 'unlisted'].map((name) => [name, field(name)])), {
        requiredKeys: [],
      }),
    },
    odd,
  )
}

test.each(Object.entries(operations))(
  '%s: the guard and the schema agree on every answer',
  (name, operation: Operation) => {
    const entities = fc.oneof(fc.array(near(['type', 'src']), { maxLength: 2 }), odd)
    const item = near(fieldsOf(operation), { entities, record: mostly(true), meeting_time: mostly(3) })
    const held = operation.many
      ? fc.oneof({ weight: 5, arbitrary: fc.array(item, { maxLength: 3 }) }, odd)
      : item
    const numbers = fc.constantFrom<unknown>(0, 30, null, undefined, '30', Number.POSITIVE_INFINITY)
    const paging = fc.oneof(
      fc.record({ limit: numbers, offset: numbers, total: numbers }, { requiredKeys: [] }),
      odd,
    )
    const answer = fc.oneof(
      { weight: 9, arbitrary: fc.record({ [operation.result]: held, paging }, { requiredKeys: [] }) },
      { weight: 3, arbitrary: fc.record({ [operation.result]: held }) },
      odd,
    )
    let good = 0
    fc.assert(
      fc.property(answer, (value) => {
        const problem = explainMismatch(name as OperationName, value)
        if (problem === undefined) good++
        expect(fits(name as OperationName, value), problem).toBe(problem === undefined)
      }),
      { numRuns: 400 },
    )
    // Agreeing on refusals alone would prove little.
    expect(good).toBeGreaterThan(5)
  },
)
