interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Formats a validation issue, such as `rooms[0].name: expected string`. */
export function describeIssue(issue: Issue | undefined): string {
  if (!issue) return 'invalid'
  const path = issue.path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  )
  const message = issue.message.replace(/^Invalid input: /, '')
  if (!path) return message
  return message.startsWith('must ') ? `${path} ${message}` : `${path}: ${message}`
}
