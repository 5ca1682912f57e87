import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter } from 'node:path'
import { defineConfig } from 'vitest/config'
import { bundleForBrowser, parseTopic } from '../.esbuild-text.mjs'

// The program refuses settings and keys that a group can write to, and some machines create such files by
// default.
process.umask(0o022)

/** PATH with directories that some environments omit, for tools such as chroot. */
const PATH = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].join(delimiter)

/**
 * Returns TMPDIR if set, or a directory in memory if it permits programs and has 2 GiB free, or the default
 * directory. Memory saves a third of the system time of tests in process, and a sixth of the time of the
 * built program. A container may forbid programs in memory, or limit the memory to 64 MB.
 */
function findTemporaryDirectory(): string {
  const memory = '/dev/shm'
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : ''
  if (process.env['TMPDIR'] || !/^\S+ \/dev\/shm tmpfs rw(?!\S*noexec)/m.test(mounts)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= 2 ** 31 ? memory : tmpdir()
}

/** Plugin that imports programs for the browser and help topics as text, like the bundler. */
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

// `--mode full` runs the given tests in full. package.json has scripts for the suites of `test/suites`.
export default defineConfig(({ mode }) => {
  const isFull = mode === 'full'
  // Shared machines may be slow, but a test that hangs must still end.
  const patienceMs = isFull ? 3_600_000 : 30_000
  return {
    plugins: [importsAsText],
    test: {
      root: import.meta.dirname,
      testTimeout: patienceMs,
      hookTimeout: patienceMs,
      // Tests must not depend on the settings of the developer. A full run uses the usual disk.
      env: {
        TZ: 'UTC',
        PATH,
        MEETROOM_TEST_FULL: isFull ? '1' : '',
        TMPDIR: isFull ? tmpdir() : findTemporaryDirectory(),
      },
      // Sharing modules between test files saves a sixth of the time.
      isolate: false,
      // Two more workers than cores, because many tests wait for a process.
      maxWorkers: availableParallelism() + 2,
      // CI reads the counts in this report.
      reporters: ['default', 'json'],
      outputFile: { json: '../node_modules/.cache/tests.json' },
    },
  }
})
