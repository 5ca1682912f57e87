import { createConfig, lintFromString } from '@redocly/openapi-core'

// Reads a JSON list of OpenAPI documents, and prints the linter problems of each document.
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
