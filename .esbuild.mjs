// Bundles the program into parts that are compiled and run on demand. Writes to dist: meetroom.js and a file for each
// large part, build.json for the launcher, the licenses, and sbom.cdx.json.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import { browserScripts } from './.esbuild-browser.mjs'
import { lighterLibraries } from './.esbuild-edits.mjs'
import { asCommonJs } from './.esbuild-parts.mjs'

/** Minimum size of a part with its own file, in bytes: reading unused code takes time too. */
const ownFileFrom = 16 * 1024

const common = { platform: 'node', target: 'node20.18', charset: 'ascii', minify: true }

/** Help topics are imported as text. */
const bundled = { ...common, bundle: true, loader: { '.md': 'text' }, external: ['libsql', 'node:sqlite'], write: false }

/**
 * Bundles the program in parts, split where it imports dynamically.
 * @param {{ plain?: boolean }} options plain: no library is edited, and esbuild alone makes CommonJS of the parts
 * @returns {Promise<{ parts: { name: string, code: string, small: boolean, inputs: string[] }[], comments: string[], metafile: import('esbuild').Metafile }>}
 */
export async function bundle({ plain = false } = {}) {
  const { outputFiles, metafile } = await build({
    ...bundled,
    entryPoints: { meetroom: 'src/start.ts' },
    outdir: 'dist',
    splitting: true,
    format: 'esm',
    plugins: plain ? [browserScripts] : [browserScripts, lighterLibraries],
    alias: {
      // The ES module, of which esbuild keeps only the parts that are used.
      yaml: './node_modules/yaml/browser/dist/index.js',
    },
    legalComments: 'external',
    metafile: true,
  })
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [path.replace('dist/', './'), output]),
  )
  const [main] = outputs.get('./meetroom.js').imports.filter(({ kind }) => kind === 'dynamic-import')
  const mainName = main.path.replace('dist/', './')
  const always = importedBy(mainName, outputs).add(mainName).add('./meetroom.js')
  const texts = outputFiles.map(({ path, text }) => ({ name: `./${path.split(/[\\/]/).at(-1)}`, text }))
  const parts = texts
    .filter(({ name }) => name.endsWith('.js'))
    .map(async ({ name, text }) => {
      // Parts export plain values once they have run, so import cycles cannot work.
      if (importedBy(name, outputs).has(name)) throw new Error(`${name} imports itself by way of others`)
      // A dynamic import becomes a require: code from V8's cache cannot import.
      const { code } = await transform(plain ? text : commonJsOf(name, text), {
        ...common,
        format: 'cjs',
        supported: { 'dynamic-import': false },
        // The launcher defines the directory of the parts.
        define: { 'import.meta.dirname': 'module.dirname' },
      })
      const inputs = Object.entries(outputs.get(name).inputs)
      return {
        name,
        code,
        small: always.has(name) || (code.length < ownFileFrom && !inputs.some(([file]) => file.endsWith('.md'))),
        inputs: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
      }
    })
  const comments = texts.filter(({ name }) => name.endsWith('.LEGAL.txt')).map(({ text }) => text)
  return { parts: await Promise.all(parts), comments, metafile }
}

/** Globals that the testing module takes when it loads, so that fake timers of a test runner do not stop the service. */
const ownGlobals = [
  ...['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  ...['setImmediate', 'clearImmediate'],
]

/** Bundles `meetroom/testing`: one CommonJS file, an ES module that wraps it, and the types of both. */
export async function bundleTesting({ plain = false } = {}) {
  const { outputFiles, metafile } = await build({
    ...bundled,
    entryPoints: { testing: 'src/testing/testing.ts' },
    outdir: 'dist',
    format: 'cjs',
    plugins: plain ? [browserScripts] : [browserScripts, lighterLibraries],
    legalComments: 'none',
    // Node and test runners print the whole line that throws an error.
    lineLimit: 160,
    metafile: true,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    banner: { js: `const{${ownGlobals}}=globalThis;` },
  })
  const types = await readFile('src/testing/types.ts', 'utf8')
  const [{ text }] = outputFiles
  const { inputs } = Object.values(metafile.outputs)[0]
  return {
    inputs: Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
    metafile,
    files: new Map([
      ['testing.cjs', text],
      ['testing.mjs', "import testing from './testing.cjs'\n\nexport const { startService } = testing\n"],
      ['testing.d.ts', types],
      ['testing.d.mts', types],
    ]),
  }
}

/** Converts a part to CommonJS, or leaves it as it is, with a notice, when esbuild writes an unsupported form. */
function commonJsOf(name, text) {
  try {
    return asCommonJs(name, text)
  } catch ({ message }) {
    console.warn(`${message}; it starts slower: see .esbuild-parts.mjs`)
    return text
  }
}

/** Returns the parts that a part imports statically. */
function importedBy(name, outputs, found = new Set()) {
  for (const { path, kind } of outputs.get(name).imports) {
    const other = path.replace('dist/', './')
    if (kind !== 'import-statement' || found.has(other) || !outputs.has(other)) continue
    found.add(other)
    importedBy(other, outputs, found)
  }
  return found
}

/**
 * Directories whose small parts share a file of their own, because most commands do not run them. Measured as the time of
 * `rooms list --json` with these files divided by the time with one file for all small parts: 0.98, and 0.93 without a
 * code cache.
 */
const areas =
  /^src\/(embedded|cli\/(?:commands\/(?!rooms|users|members)[^/]+|workspace|attendance|links|bulk|batch|backup|shell|usage|help))\//

/** Returns the file of a part: its own, that of its area, or the main one. */
function fileOf({ name, small, inputs }) {
  if (!small) return name.slice(2)
  const [area, ...others] = new Set(inputs.map((input) => areas.exec(input)?.[1]))
  return area && others.length === 0 ? `${area.replaceAll('/', '-')}.js` : 'meetroom.js'
}

/** Returns the files of the program by name; each is an expression for an object of parts. */
export function filesOf(parts) {
  const names = new Map(
    parts.map((part) => {
      const file = fileOf(part)
      // The launcher finds the file of a part in the name. The main file is loaded first.
      const isNamed = file === 'meetroom.js' || file === part.name.slice(2)
      return [part.name, isNamed ? part.name : `./${file}/${part.name.slice(2)}`]
    }),
  )
  const files = new Map()
  for (const part of parts) {
    const code = part.code.replace(/"(\.\/[\w-]+\.js)"/g, (text, name) =>
      names.has(name) ? JSON.stringify(names.get(name)) : text,
    )
    const text = `${JSON.stringify(names.get(part.name))}: function (exports, require, module) {${code}}`
    files.set(fileOf(part), [...(files.get(fileOf(part)) ?? []), text])
  }
  return new Map([...files].map(([file, texts]) => [file, `({\n${texts.join(',\n')}})\n`]))
}

/**
 * Returns the cache kinds of all commands and aliases: `room.ls` is `rooms-list`, and `serve` is itself. Leaves out
 * `help`, which equals `--help`.
 */
async function commandNames() {
  const { outputFiles } = await build({
    ...bundled,
    plugins: [browserScripts],
    stdin: { contents: "export { buildProgram } from './src/cli/commands/program.ts'", resolveDir: '.' },
    format: 'cjs',
    // The program is loaded but not run.
    define: { 'import.meta.dirname': '""' },
  })
  const module = { exports: {} }
  new Function('exports', 'require', 'module', outputFiles[0].text)(module.exports, createRequire(import.meta.url), module)
  // Replaces actions of commands.
  const act = () => act
  const root = await module.exports.buildProgram({}, act, () => {}, 'all')
  const byWord = (commands, nameOf) =>
    Object.fromEntries(
      commands.flatMap((command) => [command.name(), ...command.aliases()].map((word) => [word, nameOf(command)])),
    )
  return byWord(
    root.commands.filter((group) => group.name() !== 'help'),
    (group) =>
      group.commands.length === 0 ? group.name() : byWord(group.commands, (command) => `${group.name()}-${command.name()}`),
  )
}

/** Returns the licenses of the bundled packages with their names and versions. */
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

/**
 * Creates the bill of materials in CycloneDX format. npm cannot create it, because only the bundler knows what is
 * bundled.
 */
async function billOfMaterials(metafile, inputs) {
  const folder = await mkdtemp(join(tmpdir(), 'meetroom-build-'))
  try {
    const used = new Set(inputs)
    const bundled = Object.entries(metafile.inputs).filter(([file]) => used.has(file))
    // Programs for the browser contain no packages.
    const isScript = (file) => typeof file === 'string' && file.endsWith('?script')
    const withoutScripts = (key, value) => {
      if (isScript(key)) return undefined
      return Array.isArray(value) ? value.filter((item) => !isScript(item.path)) : value
    }
    const meta = { ...metafile, inputs: Object.fromEntries(bundled) }
    await writeFile(join(folder, 'meta.json'), JSON.stringify(meta, withoutScripts))
    const plugin = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-esbuild')
    const cli = join(plugin, '../../bin/cyclonedx-esbuild-cli.js')
    return execFileSync(process.execPath, [cli, '--output-reproducible', join(folder, 'meta.json')], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const plain = process.argv.includes('--plain')
  const { parts, comments, metafile } = await bundle({ plain })
  const testing = await bundleTesting({ plain })
  const inputs = [...parts.flatMap((part) => part.inputs), ...testing.inputs]
  const files = filesOf(parts)
  const id = createHash('sha256')
  for (const [name, text] of files) id.update(`${name}\n${text}`)
  files.set('build.json', JSON.stringify({ id: id.digest('hex').slice(0, 16), commands: await commandNames() }))
  // Licenses must accompany every copy, beyond the comments in the code.
  files.set('LEGAL.txt', `${comments.join('\n')}\n${await licences(inputs)}`)
  files.set('sbom.cdx.json', await billOfMaterials(metafile, inputs))
  for (const [name, text] of testing.files) files.set(name, text)
  await rm('dist', { recursive: true, force: true })
  await mkdir('dist')
  for (const [name, text] of files) await writeFile(`dist/${name}`, text)
}
