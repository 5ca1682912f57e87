import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quoteForShell } from '../../src/api/quote-for-shell.ts'
import { version } from '../../src/version.ts'
import { launcher, node } from './built.ts'

/**
 * Creates a directory with the built program as `meetroom`, and with stubs of `npm` and `npx`.
 * @param more added or replaced scripts, by program name
 */
export function programsIn(dir: string, more: Record<string, string> = {}): string {
  const meetroom = `exec ${quoteForShell(node)} ${quoteForShell(launcher)} "$@"`
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
