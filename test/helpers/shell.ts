import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentation } from './documentation.ts'
import type { Run, World } from './world.ts'

/** Runs a line as a shell would, in the folder of a world: quotes, `< FILE` and `> FILE`. */
export async function runLine(world: World, line: string): Promise<Run> {
  const words = [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word)
  const argv: string[] = []
  let stdin: string | undefined
  let target: string | undefined
  for (let word = words.shift(); word !== undefined; word = words.shift())
    if (word === '<') stdin = readFileSync(join(world.dir, words.shift() ?? ''), 'utf8')
    else if (word === '>') target = words.shift()
    else argv.push(word)
  const run = await world.run(argv.slice(1), { cwd: world.dir, ...(stdin !== undefined && { stdin }) })
  if (target !== undefined) writeFileSync(join(world.dir, target), run.stdout)
  return run
}

/** The first block of a language in the README behind a line that begins with these words. */
export function blockBehind(words: string, language: string): string {
  const readme = documentation()
  const from = readme.indexOf(`\n${words}`)
  const [, block] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(readme.slice(from)) ?? []
  if (from < 0 || block === undefined) throw new Error(`no recipe: ${words}`)
  return block
}

/** The lines of the recipe of the README that begins with these words. */
export function recipe(words: string): string[] {
  return blockBehind(words, 'sh').trim().split('\n')
}
