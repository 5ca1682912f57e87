import { formatChoices } from './either.ts'
import { toText } from './to-text.ts'

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly expected?: string
  readonly values?: readonly unknown[]
}

const maxQuotedLength = 60

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/**
 * Describes an issue, as in `type must be open, public or private, not “opn”`.
 * @param checked value that zod validated
 */
export function describeIssue(issue: Issue | undefined, checked: unknown): string {
  if (!issue) return 'the value is invalid'
  const value = issue.path.reduce<unknown>((parent, key) => Object(parent)[key], checked)
  return withField(formatPath(issue.path) || 'it', describeProblem(issue, value))
}

/** Formats the path of a value, as in `rooms[0].name`. */
export function formatPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
  return steps.join('').replace(/^\./, '')
}

function describeProblem({ code, message, expected = '', values = [] }: Issue, value: unknown): string {
  // Schemas define messages of this form; zod does not.
  if (/^(must|expected) /.test(message)) return message
  if (value === undefined) return 'is missing'
  if (code === 'invalid_value')
    return `must be ${formatChoices(values.map(String))}, not ${quoteValue(value)}`
  if (code === 'too_small' && value === '') return 'must not be empty'
  if (code === 'invalid_type' && types[expected])
    return `must be ${types[expected]}, not ${quoteValue(value)}`
  return `cannot be ${quoteValue(value)}`
}

export function withField(field: string, problem: string): string {
  if (problem.startsWith(`${field} `)) return problem
  return /^(must|is|cannot) /.test(problem) ? `${field} ${problem}` : `${field}: ${problem}`
}

/** Formats a value for the end of `must be …, not …`. */
export function quoteValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string')
    return value === ''
      ? 'empty'
      : `“${value.length > maxQuotedLength ? `${value.slice(0, maxQuotedLength).toWellFormed()}…` : value}”`
  const text = toText(value ?? String(value))
  return text.startsWith('{') ? 'an object' : text
}
