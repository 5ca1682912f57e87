import { createConfig, lintFromString } from '@redocly/openapi-core'

// Prints the problems that the linter finds in each OpenAPI document of the list on standard input, as JSON.
let text = ''
for await (const part of process.stdin.setEncoding('utf8')) text += part
// The API specification names no license.
const config = await createConfig({ extends: ['recommended-strict'], rules: { 'info-license': 'off' } })
const found = []
for (const document of JSON.parse(text)) {
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  found.push(
    problems.map(({ ruleId, message, location }) => ({ ruleId, message, pointer: location[0]?.pointer })),
  )
}
process.stdout.write(JSON.stringify(found))
