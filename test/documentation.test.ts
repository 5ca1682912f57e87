import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Endpoint, endpoints } from '../src/api/endpoints.ts'
import { exitCodes } from '../src/cli/help/exit-codes.ts'
import { renderMarkdown } from '../src/cli/help/render-markdown.ts'
import { readTopic, type Topic, topicSummaries } from '../src/cli/help/topics.ts'
import { describeUnrestored, unrestoredFields } from '../src/cli/import/unrestored.ts'
import { selectStyle } from '../src/cli/output/terminal/style.ts'
import { topicNames } from './helpers/documentation.ts'
import { testHost } from './helpers/host.ts'
import { argumentTerm, leaves, wholeProgram } from './helpers/tree.ts'
import { createWorld } from './helpers/world.ts'

const root = resolve(import.meta.dirname, '..')

async function reference(): Promise<string> {
  // Commands that begin with underscores are for shells.
  const shown = (await leaves()).filter(({ words }) => !words[0]?.startsWith('__'))
  const sections = shown.map(({ words, command }) => {
    const usage = ['meetroom', ...words, ...command.registeredArguments.map(argumentTerm)].join(' ')
    const flags = command.options.filter(({ hidden }) => !hidden).map(flagLine)
    return [`## \`${usage}\``, '', command.description(), ...(flags.length > 0 ? ['', ...flags] : [])].join(
      '\n',
    )
  })
  return sections.join('\n\n')
}

function flagLine(option: { flags: string; description: string; argChoices?: readonly string[] }): string {
  const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : ''
  const flags = option.flags.replace(/^--[\w-]+, /, '')
  return `- \`${flags}\`: ${option.description}${choices}`
}

const generated: Readonly<Record<string, readonly [file: string, generate: () => Promise<string>]>> = {
  reference: ['.github/reference.md', reference],
  topics: [
    'README.md',
    async () => toTable(['topic', 'about'], Object.entries(topicSummaries).map(toTopicLink)),
  ],
  flags: ['src/help/flags.md', async () => (await wholeProgram()).options.map(flagLine).join('\n')],
  'exit-codes': [
    'src/help/exit-codes.md',
    async () => toTable(['code', 'meaning'], Object.entries(exitCodes)),
  ],
  operations: [
    'src/help/api.md',
    async () => toTable(['request', 'operation'], Object.entries(endpoints).map(toOperation)),
  ],
  lost: [
    'src/help/import.md',
    async () =>
      Object.keys(unrestoredFields)
        .map((kind) => `- ${kind}: ${describeUnrestored(kind as keyof typeof unrestoredFields)}`)
        .join('\n'),
  ],
}

function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
    .replace('| --- | --- |', '|---|---|')
}

function toOperation([name, { method, path, unlisted }]: readonly [string, Endpoint]): readonly string[] {
  return [`\`${method} ${path}\``, `\`${name}\`${unlisted ? ' (not every service)' : ''}`]
}

function toTopicLink([topic, summary]: readonly string[]): readonly string[] {
  return [`[${topic}](src/help/${topic}.md)`, `${summary}`.replace(/--\w+/g, '`$&`')]
}

test.each(Object.entries(generated))(
  'the generated section “%s” of the documentation is up to date',
  async (name, [path, generate]) => {
    const file = join(root, path)
    const text = readFileSync(file, 'utf8')
    const [before, after] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
    const from = text.indexOf(before) + before.length
    const to = text.indexOf(after)
    expect(from).toBeGreaterThan(before.length)
    expect(to).toBeGreaterThanOrEqual(from)
    const part = `\n${await generate()}\n\n`
    if (process.env['UPDATE_DOCS']) writeFileSync(file, text.slice(0, from) + part + text.slice(to))
    else expect(text.slice(from, to)).toBe(part)
  },
)

test('the help topics have the same names as the files in src/help', () => {
  expect([...topicNames].sort()).toEqual(Object.keys(topicSummaries).sort())
})

describe.each(Object.keys(topicSummaries))('meetroom help %s', (topic) => {
  test(`meetroom help ${topic} prints the topic without Markdown syntax`, async () => {
    const world = await createWorld()
    const { code, stdout, stderr } = await world.run(['help', topic])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.length).toBeGreaterThan(200)
    expect(stdout).not.toMatch(/<!--|^#|```/m)
  })

  test(`meetroom help ${topic} wraps prose at 80 characters`, async () => {
    const host = testHost()
    const style = await selectStyle(host.stdout, host.env, false)
    const lines = renderMarkdown(await readTopic(topic as Topic), style, 80).split('\n')
    const tooLong = lines.filter((line) => line.length > 80 && !line.startsWith('  ') && !/\S{30}/.test(line))
    expect(tooLong).toEqual([])
  })
})

describe.each([
  'README.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  'test/README.md',
  ...topicNames.map((name) => `src/help/${name}.md`),
])('links in %s', (file) => {
  test(`links in ${file} point to existing files and headings`, () => {
    const text = readFileSync(join(root, file), 'utf8')
    const links = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(
      ([, href = '']) => href,
    )
    const broken = links.filter((href) => {
      const [path = '', anchor] = href.split('#')
      const target = path === '' ? join(root, file) : join(dirname(join(root, file)), path)
      if (!existsSync(target)) return true
      if (anchor === undefined) return false
      const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        slugOf(heading),
      )
      return !headings.includes(anchor)
    })
    expect(broken).toEqual([])
  })
})

/** Returns the anchor that code hosts give a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

test('the documentation contains no command that installs meetroom by name from a registry', () => {
  const byName = [
    /\b(?:npm|pnpm|yarn|bun)\s+(?:global\s+)?(?:install|i|add|exec|x|dlx)\b[^\n`&|;]*?[\s"']meetroom(?:@|["'\s`]|$)/,
    /--package[= ]["']?meetroom(?:@|["'\s`]|$)/,
    /\b(?:npx|bunx|pnpx)\s+(?:-\S+\s+)*meetroom\b/,
  ]
  // In a checkout, npx runs the program of the checkout.
  const inCheckout = /^npm ci && npx meetroom /
  const files = ['README.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md', 'test/README.md']
  const lines = [...files, ...topicNames.map((name) => `src/help/${name}.md`)].flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((line) => ({ file, line })),
  )
  const wrong = lines.filter(
    ({ line }) => !inCheckout.test(line) && byName.some((pattern) => pattern.test(line)),
  )
  expect(wrong).toEqual([])
})

test('the README has at most 250 lines, each of at most 400 characters', () => {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').split('\n')
  expect(lines.length).toBeLessThanOrEqual(251)
  expect(lines.filter((line) => line.length > 400)).toEqual([])
})
