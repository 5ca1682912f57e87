import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { lost, lostInWords } from '../src/cli/bulk/lost.ts'
import { topics } from '../src/cli/help-topics.ts'
import { argumentTerm, leaves } from './helpers/tree.ts'

const file = resolve(import.meta.dirname, '../README.md')

/** The command reference, from the command tree. */
async function reference(): Promise<string> {
  // What begins like this is for the shells.
  const shown = (await leaves()).filter(({ words }) => !words[0]?.startsWith('__'))
  const sections = shown.map(({ words, command }) => {
    const usage = ['meetroom', ...words, ...command.registeredArguments.map(argumentTerm)].join(' ')
    const options = command.options.map((option) => {
      const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : ''
      return `- \`${option.flags}\`: ${option.description}${choices}`
    })
    return [
      `#### \`${usage}\``,
      '',
      command.description(),
      ...(options.length > 0 ? ['', ...options] : []),
    ].join('\n')
  })
  return sections.join('\n\n')
}

/** How each generated part, between its two marks, is made. */
const parts: Record<string, () => Promise<string>> = {
  reference,
  'exit-codes': async () => fenced(topics['exit-codes']),
  environment: async () => fenced(topics.environment),
  formatting: async () => fenced(topics.formatting),
  lost: async () =>
    Object.keys(lost)
      .map((kind) => `- of ${kind}: ${lostInWords(kind as keyof typeof lost)}`)
      .join('\n'),
}

const fenced = (text: string) => `\`\`\`text\n${text}\n\`\`\``

test.each(Object.entries(parts))(
  'README: %s is up to date (npm run docs updates it)',
  async (name, generate) => {
    const readme = readFileSync(file, 'utf8')
    const [before, after] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
    const from = readme.indexOf(before) + before.length
    const to = readme.indexOf(after)
    expect(from).toBeGreaterThan(before.length)
    expect(to).toBeGreaterThanOrEqual(from)
    const part = `${await generate()}\n`
    if (process.env['UPDATE_README']) writeFileSync(file, readme.slice(0, from) + part + readme.slice(to))
    else expect(readme.slice(from, to)).toBe(part)
  },
)
