import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** The lines of the recipe of the README that begins with these words. */
export function recipe(words: string): string[] {
  const readme = readFileSync('README.md', 'utf8')
  const [, script] = /^```sh\n([\s\S]*?)^```/m.exec(readme.slice(readme.indexOf(`\n${words}`))) ?? []
  if (script === undefined || !readme.includes(`\n${words}`)) throw new Error(`no recipe: ${words}`)
  return script.trim().split('\n')
}
