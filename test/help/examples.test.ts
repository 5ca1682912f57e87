import { expect, test } from 'vitest'
import { documentation } from '../helpers/documentation.ts'
import { createWorld } from '../helpers/world.ts'

const readme = documentation()
const blocks = [...readme.matchAll(/<!-- run -->\n```console\n([\s\S]*?)```/g)].map(([, block = '']) => block)

const maskVariableText = (text: string) =>
  text
    .replace(/[\da-f]{24}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/access_token=[\w.-]+/g, 'access_token=TOKEN')
    .replaceAll('\r\n', '\n')

const splitIntoWords = (line: string) =>
  [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word)

test('the documentation contains code blocks with commands', () => expect(blocks.length).toBeGreaterThan(0))

test.each(blocks)('the documented commands print the documented output:\n%s', async (block) => {
  const world = await createWorld()
  const lines = [...block.matchAll(/^\$ meetroom (.*)$/gm)].map(([, line = '']) => line)
  let shown = ''
  for (const line of lines) {
    const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
    const { stdout, stderr } = await world.run(splitIntoWords(line), { env })
    const text = stdout + stderr
    shown += `$ meetroom ${line}\n${text === '' || text.endsWith('\n') ? text : `${text}\n`}`
  }
  expect(maskVariableText(shown)).toBe(maskVariableText(block))
})
