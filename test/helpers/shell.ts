import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { documentation } from './documentation.ts'
import type { TestHost } from './host.ts'
import type { Run, World } from './world.ts'

interface LineOptions {
  env?: Record<string, string | undefined>
  started?: (host: TestHost) => void
}

/**
 * Runs the meetroom commands at the start of a shell line, up to a failure. For a line with `$(meetroom …)`
 * or `<(meetroom …)`, runs only the inner command.
 * @throws {Error} if no command runs
 */
export async function runLine(world: World, line: string, options: LineOptions = {}): Promise<Run> {
  const { env = {}, started = () => {} } = options
  const [, inner = line] = /[$<]\((meetroom [^)]*)\)/.exec(line) ?? []
  const tokens = [...inner.matchAll(/'([^']*)'|"([^"]*)"|[|<>]|[^\s'|<>]+/g)].map(
    ([word, single, double]) => ({
      word: single ?? double ?? word,
      isQuoted: (single ?? double) !== undefined,
    }),
  )
  const path = (name = '') => resolve(world.dir, name)
  let run: Run | undefined
  while (tokens.shift()?.word === 'meetroom') {
    const argv: string[] = []
    let stdin = run?.stdout
    let target: string | undefined
    for (let token = tokens.shift(); token; token = tokens.shift()) {
      if (token.isQuoted) argv.push(token.word)
      else if (token.word === '<') stdin = readFileSync(path(tokens.shift()?.word), 'utf8')
      else if (token.word === '>') target = path(tokens.shift()?.word)
      else if (['|', '#', '&'].includes(token.word)) break
      else argv.push(token.word)
    }
    const { host, done } = world.start(argv, { cwd: world.dir, env, ...(stdin !== undefined && { stdin }) })
    started(host)
    run = await done
    if (target !== undefined) {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, run.stdout)
    }
    if (run.code !== 0) return run
  }
  if (!run) throw new Error(`not a command of meetroom: ${line}`)
  return run
}

/**
 * Returns the first code block in `language` after a line of the documentation that starts with `words`.
 * @throws {Error} if there is no such block
 */
export function blockBehind(words: string, language: string): string {
  const readme = documentation()
  const from = readme.indexOf(`\n${words}`)
  const [, block] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(readme.slice(from)) ?? []
  if (from < 0 || block === undefined) throw new Error(`no recipe: ${words}`)
  return block
}

export function recipe(words: string): string[] {
  return blockBehind(words, 'sh').trim().split('\n')
}
