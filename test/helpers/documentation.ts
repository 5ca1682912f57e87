import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const topicsDir = join(root, 'src/help')

/** Names of the help topics. */
export const topicNames: readonly string[] = readdirSync(topicsDir).map((file) => file.replace(/\.md$/, ''))

export function topicFile(name: string): string {
  return join(topicsDir, `${name}.md`)
}

export function readTopicFile(name: string): string {
  return readFileSync(topicFile(name), 'utf8')
}

/** The README and all help topics, one after the other. */
export function documentation(): string {
  return [readFileSync(join(root, 'README.md'), 'utf8'), ...topicNames.map(readTopicFile)].join('\n')
}
