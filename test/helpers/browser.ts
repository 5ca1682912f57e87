import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runCommand } from './command.ts'
import { tempDir } from './world.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A real browser without a window: a package of the system, such as Debian’s chromium. Undefined where there is none. */
export const browser = (process.env['PATH'] ?? '')
  .split(':')
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

/** What a browser makes of a page, scripts and all, written as HTML again. */
export async function domOf(path: string): Promise<string> {
  if (browser === undefined) throw new Error('there is no browser')
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--virtual-time-budget=2000',
  ]
  const profile = tempDir()
  const argv = [...flags, `--user-data-dir=${profile}`, '--dump-dom', pathToFileURL(path).href]
  const { code, stdout, stderr } = await runCommand(browser, argv, { HOME: profile }, '', {
    patienceMs: 60_000,
  })
  if (code !== 0) throw new Error(`the browser ended with ${code}: ${stderr.slice(-2000)}`)
  return stdout
}
