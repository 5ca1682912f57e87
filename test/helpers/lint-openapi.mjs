import { createConfig, lintFromString } from '@redocly/openapi-core'

// Prints the problems that the linter finds in the OpenAPI document on standard input, as JSON.
let source = ''
for await (const text of process.stdin.setEncoding('utf8')) source += text
// The API specification names no license.
const config = await createConfig({ extends: ['recommended-strict'], rules: { 'info-license': 'off' } })
const problems = await lintFromString({ source, config })
process.stdout.write(
  JSON.stringify(
    problems.map(({ ruleId, message, location }) => ({ ruleId, message, pointer: location[0]?.pointer })),
  ),
)
