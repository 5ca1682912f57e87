// Bundles the program into one CommonJS file: what a command does not need is in it, and neither compiled nor run.
import { appendFile, readdir, readFile, rm } from 'node:fs/promises'
import { build } from 'esbuild'
import { lighterLibraries } from './.esbuild-edits.mjs'

/** What the tests bundle in the same way. */
export const options = {
  entryPoints: ['src/main.ts'],
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.18',
  // A dynamic import becomes a require: code from V8's cache cannot import.
  supported: { 'dynamic-import': false },
  external: ['libsql', 'node:sqlite'],
  plugins: [lighterLibraries],
  // What Node would put around it: the launcher compiles it itself, and copies a megabyte less.
  banner: { js: '(function (exports, require, module) {' },
  footer: { js: '})' },
}

/** The licences of the packages that are in the bundle, each with the name and version it belongs to. */
async function licences(inputs) {
  const folders = new Set(
    inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  )
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
      const files = await readdir(folder)
      const file = files.find((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file))
      const text = file ? await readFile(`${folder}/${file}`, 'utf8') : `License: ${license}`
      return `${name} ${version}\n\n${text.replaceAll('\r\n', '\n').trim()}\n`
    }),
  )
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

if (process.argv[1] === import.meta.filename) {
  await rm('dist', { recursive: true, force: true })
  const outfile = 'dist/meetroom.js'
  const { metafile } = await build({
    ...options,
    outfile,
    minify: true,
    charset: 'ascii',
    legalComments: 'linked',
    metafile: true,
  })
  // Licences ask to go along with every copy; the comments in the code are the least of them.
  const bundled = Object.entries(metafile.outputs[outfile].inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  await appendFile(`${outfile}.LEGAL.txt`, `\n${await licences(bundled.map(([file]) => file))}`)
}
