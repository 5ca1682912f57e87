// Bundles the program into one CommonJS file: what a command does not need is in it, and neither compiled nor run.
import { appendFile, readdir, readFile, rm } from 'node:fs/promises'
import { build } from 'esbuild'

/**
 * Parts of Node that libraries load for what we never ask of them, each dearer than all the rest of the library: made lazy, or
 * left out. A library that has changed stops the build.
 */
const edits = {
  // Executable subcommands.
  'commander/lib/command.js': [
    [
      "const childProcess = require('node:child_process');",
      "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };",
    ],
  ],
  // HTTP/2, which has to be asked for; and node:http for one number, whose default this is.
  'undici/lib/dispatcher/client.js': [
    ["const connectH2 = require('./client-h2.js')", "const connectH2 = (...args) => require('./client-h2.js')(...args)"],
    ["const http = require('node:http')", 'const http = { maxHeaderSize: 16384 }'],
  ],
  // Measuring compiles a pattern of all emoji; most text is ASCII.
  'cli-table3/src/utils.js': [
    [
      "const stringWidth = require('string-width');",
      "const stringWidth = (text) => (/^[ -~]*$/.test(text) ? text.length : require('string-width')(text));",
    ],
  ],
  // Requests that pass on what a node:http server has received.
  'undici/lib/core/util.js': [["const { IncomingMessage } = require('node:http')", 'class IncomingMessage {}']],
}

// node:assert, for assertions that hold.
const eagerAssert = "const assert = require('node:assert')"
const lazyAssert = "const assert = (...args) => args[0] || require('node:assert')(...args)"

const lighterLibraries = {
  name: 'lighter-libraries',
  setup({ onLoad }) {
    for (const [file, replacements] of Object.entries(edits)) {
      const filter = new RegExp(`node_modules[\\\\/]${file.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]')}$`)
      onLoad({ filter }, async ({ path }) => {
        let contents = await readFile(path, 'utf8')
        for (const [eager, lazy] of replacements) {
          if (!contents.includes(eager)) throw new Error(`${file} has changed: look at .esbuild.mjs`)
          contents = contents.replace(eager, lazy)
        }
        return { contents: contents.replace(eagerAssert, lazyAssert) }
      })
    }
    onLoad({ filter: /undici[\\/]lib[\\/](api|core|dispatcher)[\\/]/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(eagerAssert, lazyAssert),
    }))
  },
}

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
