import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build, stop } from 'esbuild'
import { afterAll } from 'vitest'

/** Edit of a source file. The path is relative to the project. */
export type Edit = readonly [file: string, before: string, after: string]

const store = 'src/embedded/store/store.ts'

/** Mistakes that responses do not reveal. The crash suite must detect each mistake. */
export const mutants = {
  'acknowledges a write before it is on disk': [
    [store, '      batch.push(write)\n    })', '      batch.push(write)\n      resolve(value)\n    })'],
  ],
  'does not sync': [[store, 'PRAGMA synchronous = FULL', 'PRAGMA synchronous = OFF']],
  'shows uncommitted data': [
    [store, 'if (this.#current || !this.#batch) return this.#db', 'return this.#db'],
  ],
} as const satisfies Record<string, readonly Edit[]>

/** Edits that delay commits by 30 ms, so that kills happen before a commit. */
export const slowCommits: readonly Edit[] = [
  [store, 'this.#commitSoon(this.#batch)', 'setTimeout(() => this.#commit(), 30)'],
]

/**
 * Edits that defer the ends of sessions, and record the ends and their events in small steps, so that kills
 * happen between the steps.
 */
export const smallSteps: readonly Edit[] = [
  [
    'src/embedded/sessions/departures.ts',
    'const defaultMaxDirectEnds = 500',
    'const defaultMaxDirectEnds = 20',
  ],
  ['src/embedded/webhooks/outbox.ts', 'const changesPerPack = 200', 'const changesPerPack = 10'],
  [
    'src/embedded/store/cascade-deleter.ts',
    'recordListedEnds(store, stepRows / 2)',
    'recordListedEnds(store, 2)',
  ],
]

let folder: string | undefined

/**
 * Builds the program with edits.
 * @returns path of the script
 * @throws {Error} if an edit does not match exactly once in a bundled source file, or the build fails
 */
export async function buildVariant(edits: readonly Edit[]): Promise<string> {
  // Within the project, because the program resolves libsql from its own location.
  const cache = resolve('node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  folder ??= mkdtempSync(join(cache, 'variants-'))
  const outfile = join(mkdtempSync(join(folder, 'v-')), 'meetroom.cjs')
  const applied = new Set<Edit>()
  await build({
    stdin: {
      contents:
        "import { main } from './src/main.ts'\nvoid main(process.argv.slice(2)).then((code) => { process.exitCode = code })",
      resolveDir: '.',
    },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.18',
    format: 'cjs',
    external: ['libsql', 'node:sqlite'],
    loader: { '.md': 'text' },
    logLevel: 'silent',
    plugins: [
      {
        name: 'edits',
        setup({ onLoad }) {
          onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
            const file = relative('.', path).replaceAll('\\', '/')
            const own = edits.filter(([edited]) => edited === file)
            let contents = readFileSync(path, 'utf8')
            for (const edit of own) {
              const parts = contents.split(edit[1])
              if (parts.length !== 2)
                throw new Error(`${file} has changed: it does not have exactly one “${edit[1]}”`)
              contents = parts.join(edit[2])
              applied.add(edit)
            }
            return { contents, loader: 'ts' }
          })
        },
      },
    ],
  })
  const missing = edits.find((edit) => !applied.has(edit))
  if (missing) throw new Error(`${missing[0]} is not in the bundle any more`)
  return outfile
}

/** Removes variants after a test file. Call this function in each file that builds variants. */
export function removeVariants(): void {
  afterAll(async () => {
    await stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
    folder = undefined
  })
}
