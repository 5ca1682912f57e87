import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shellQuote } from '../../src/api/request.ts'
import { version } from '../../src/version.ts'
import { launcher, node } from './built.ts'
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

/**
 * Makes a folder of programs for scripts to find: `meetroom` is the built program, and `npm` and `npx` accept the tarball
 * of this version, and nothing else.
 * @param more further programs of the shell, by name
 */
export function programsIn(dir: string, more: Record<string, string> = {}): string {
  const meetroom = `exec ${shellQuote(node)} ${shellQuote(launcher)} "$@"`
  const all = {
    meetroom,
    npm: `[ "$*" = 'install --global ./meetroom-${version}.tgz' ]`,
    npx: `case $1,$2,$3,$4 in --yes,--package,*/meetroom-${version}.tgz,meetroom) shift 4 ;; *) exit 99 ;; esac\n${meetroom}`,
    ...more,
  }
  mkdirSync(dir, { recursive: true })
  for (const [name, text] of Object.entries(all)) {
    writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(dir, name), 0o755)
  }
  return dir
}
