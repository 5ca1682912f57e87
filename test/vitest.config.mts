import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter } from 'node:path'
import { defineConfig } from 'vitest/config'
import { bundleForBrowser, parseTopic } from '../.esbuild-text.mjs'

// Settings and keys that a group can write to are refused, and some machines let new files be such.
process.umask(0o022)

/** Where root’s tools are, such as chroot: not every environment names these directories. */
const PATH = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].join(delimiter)

/**
 * Returns a directory for temporary files: in memory, which saves a third of the system time of tests in process and a
 * sixth of the time of the built program, or else the usual one. A container may forbid to run programs there, or limit it
 * to 64 MB.
 */
function findTemporaryDirectory(): string {
  const memory = '/dev/shm'
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : ''
  if (process.env['TMPDIR'] || !/^\S+ \/dev\/shm tmpfs rw(?!\S*noexec)/m.test(mounts)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= 2 ** 31 ? memory : tmpdir()
}

/** Programs for the browser and help topics are imported as text, as the bundler does it. */
const importsAsText = {
  name: 'imports-as-text',
  enforce: 'pre' as const,
  async load(id: string) {
    const [path = '', query] = id.split('?')
    if (query !== 'script' && !path.endsWith('.md')) return undefined
    const text = query === 'script' ? await bundleForBrowser(path) : parseTopic(readFileSync(path, 'utf8'))
    return `export default ${JSON.stringify(text)}`
  },
}

// `--mode full` runs the suites of `test/suites` in full, each by a script of its own. Vitest tells the mode here only: what
// depends on it is given to each project as it is.
export default defineConfig(({ mode }) => {
  const each = {
    root: import.meta.dirname,
    // Machines are shared and slow at times, and a test that hangs must still end.
    testTimeout: mode === 'full' ? 3_600_000 : 30_000,
    hookTimeout: mode === 'full' ? 3_600_000 : 30_000,
    // Nothing of the developer’s own setup reaches a test.
    env: { TZ: 'UTC', PATH, MEETROOM_TEST_FULL: mode === 'full' ? '1' : '' },
  }
  // Modules have no state, so that test files share them: loading them for each file takes a sixth of the time.
  const project = (name: string, files: { include: string[]; exclude?: string[] }, TMPDIR: string) => ({
    plugins: [importsAsText],
    test: { ...each, ...files, env: { ...each.env, TMPDIR }, name, isolate: false },
  })
  const memory = findTemporaryDirectory()
  // The full form of what starts processes uses the usual disk.
  const disk = mode === 'full' ? tmpdir() : memory
  return {
    test: {
      ...each,
      // Two more than there are cores: many tests wait for a process that they started.
      maxWorkers: availableParallelism() + 2,
      // The counts that CI prints.
      reporters: ['default', 'json'],
      outputFile: { json: '../node_modules/.cache/tests.json' },
      projects: [
        project(
          'unit and world',
          { include: ['**/*.test.ts'], exclude: ['**/*.built.test.ts', 'suites/**'] },
          memory,
        ),
        project('built program', { include: ['**/*.built.test.ts'] }, disk),
        project('suites', { include: ['suites/*.test.ts'] }, disk),
      ],
    },
  }
})
