import type { OperationName } from './endpoints.ts'
import { describeIssue } from './issue.ts'
import { operations } from './operations.ts'

/** What is wrong with an answer, in one line, or undefined when it fits the schema of its operation. */
export function explainMismatch(name: OperationName, value: unknown): string | undefined {
  const result = operations[name].response.safeParse(value)
  return result.success ? undefined : describeIssue(result.error.issues[0])
}
