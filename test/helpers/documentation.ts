import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const topicsDir = join(root, 'src/help')

export const topicNames: readonly string[] = readdirSync(topicsDir).map((file) => file.replace(/\.md$/, ''))

function topicFile(name: string): string {
  return join(topicsDir, `${name}.md`)
}

export function readTopicFile(name: string): string {
  return readFileSync(topicFile(name), 'utf8')
}

/** Returns the README and all help topics as one text. */
export function documentation(): string {
  return [readFileSync(join(root, 'README.md'), 'utf8'), ...topicNames.map(readTopicFile)].join('\n')
}

/** Code block or inline code. */
interface CodeSample {
  /** Text of the HTML comment directly above the block, such as `run`; empty without a comment. */
  mark: string
  text: string
  /** Lines that run meetroom. A trailing backslash joins a line to the next line. */
  commands: readonly string[]
}

export function readSamples(text: string): CodeSample[] {
  const pattern = /(?:<!-- (.*) -->\n)?^```(\w+)\n([\s\S]*?)^```|`([^`\n]+)`/gm
  return [...text.matchAll(pattern)].map(([, mark = '', language, block, inline = '']) => {
    const code = block ?? inline
    const lines = code.replace(/\\\n\s*/g, '').split('\n')
    // The other lines of a console block are output.
    const typed = language === 'console' ? lines.filter((line) => line.startsWith('$ ')) : lines
    const commands = typed.map((line) => line.replace(/^\$ /, '').trim()).filter(isCommandLine)
    return { mark, text: code, commands }
  })
}

function isCommandLine(line: string): boolean {
  return /(?:^|[\s('"$])meetroom (?:[a-z]|--(?!build))/.test(line) && !line.startsWith('#')
}
