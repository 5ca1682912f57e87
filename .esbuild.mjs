// Bundles the program into files. The launcher runs the parts of a file on demand.
// Writes to dist: meetroom.js, embedded.js with the embedded service, help.js with the help topics,
// undici.js, the testing module, build.json for the launcher, the licenses, and sbom.cdx.json.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import { asCommonJs } from './.esbuild-parts.mjs'
import { importsAsText } from './.esbuild-text.mjs'

const common = { platform: 'node', target: 'node20.18', charset: 'ascii', minify: true }

/**
 * Plugin that omits `node:child_process` from Commander, which loads the module for executable subcommands.
 * This program has none. With the module, `--help` takes 1.03 times as long, and `meetroom completion bash`
 * 1.04 times.
 */
const withoutChildProcess = {
  name: 'without-child-process',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer, path }) =>
      /[\\/]commander[\\/]lib[\\/]/.test(importer) ? { path, namespace: 'unused' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: '' }))
  },
}

const bundled = {
  ...common,
  bundle: true,
  outdir: 'dist',
  external: ['libsql', 'node:sqlite'],
  plugins: [importsAsText, withoutChildProcess],
  alias: {
    'string-width': './src/cli/output/terminal/string-width.cjs',
  },
  metafile: true,
  write: false,
}

/**
 * Bundles the program into parts, split at dynamic imports. The name of a part contains the name of its file
 * in dist.
 */
export async function bundle() {
  const { outputFiles, metafile } = await build({
    ...bundled,
    entryPoints: { meetroom: 'src/main.ts' },
    splitting: true,
    format: 'esm',
    legalComments: 'external',
  })
  const texts = outputFiles.map(({ path, text }) => ({ name: path.split(/[\\/]/).at(-1), text }))
  const parts = texts
    .filter(({ name }) => name.endsWith('.js'))
    .map(({ name, text }) => {
      const inputs = Object.entries(metafile.outputs[`dist/${name}`].inputs)
      const [, area] = /^(?:src|node_modules)\/(embedded|help|undici)\//m.exec(inputs.map(([file]) => file).join('\n')) ?? []
      return {
        name: `./${area ?? 'meetroom'}.js/${name}`,
        text,
        inputs: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
      }
    })
  const names = new Map(parts.map(({ name }) => [`./${name.split('/').at(-1)}`, name]))
  const converted = parts.map(async ({ text, ...part }) => {
    // A dynamic import becomes a require, because the launcher's `vm.Script` cannot import.
    const { code } = await transform(asCommonJs(part.name, text), {
      ...common,
      format: 'cjs',
      supported: { 'dynamic-import': false },
      // The launcher sets `module.dirname` to the path of dist.
      define: { 'import.meta.dirname': 'module.dirname' },
    })
    return { ...part, code: code.replace(/"(\.\/[\w-]+\.js)"/g, (word, name) => JSON.stringify(names.get(name) ?? name)) }
  })
  const comments = texts.filter(({ name }) => name.endsWith('.LEGAL.txt')).map(({ text }) => text)
  return { parts: await Promise.all(converted), comments, metafile }
}

/** Returns the text of each program file: an object expression with one function per part. */
export function filesOf(parts) {
  const files = new Map()
  for (const { name, code } of parts) {
    const file = name.split('/')[1]
    const text = `${JSON.stringify(name)}: function (exports, require, module) {${code}}`
    files.set(file, [...(files.get(file) ?? []), text])
  }
  return new Map([...files].map(([file, texts]) => [file, `({\n${texts.join(',\n')}})\n`]))
}

/** Globals that the testing module saves when loaded, so that later fake timers do not affect the service. */
const ownGlobals = [
  ...['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  ...['setImmediate', 'clearImmediate'],
]

/** Bundles `meetroom/testing`: one CommonJS file, an ES module that wraps it, and the types of both. */
export async function bundleTesting() {
  const { outputFiles, metafile } = await build({
    ...bundled,
    entryPoints: { testing: 'src/testing/testing.ts' },
    format: 'cjs',
    legalComments: 'none',
    // Node and test runners print the whole line that throws an error.
    lineLimit: 160,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    banner: { js: `const{${ownGlobals}}=globalThis;` },
  })
  const types = await readFile('src/testing/types.ts', 'utf8')
  const [{ text }] = outputFiles
  const { inputs } = Object.values(metafile.outputs)[0]
  return {
    inputs: Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
    files: new Map([
      ['testing.cjs', text],
      ['testing.mjs', "import testing from './testing.cjs'\n\nexport const { startService } = testing\n"],
      ['testing.d.ts', types],
      ['testing.d.mts', types],
    ]),
  }
}

/** Returns all command names and aliases, and some flags and formats that load other code. */
async function listCacheWords() {
  const { outputFiles } = await build({
    ...bundled,
    stdin: { contents: "export { buildProgram } from './src/cli/commands/program.ts'", resolveDir: '.' },
    format: 'cjs',
    // The program is loaded but not run, so it needs no directory.
    define: { 'import.meta.dirname': '""' },
  })
  const module = { exports: {} }
  new Function('exports', 'require', 'module', outputFiles[0].text)(module.exports, createRequire(import.meta.url), module)
  // Stub for the action of each command.
  const act = () => act
  const listWords = ({ commands }) =>
    commands.flatMap((command) => [command.name(), ...command.aliases(), ...listWords(command)])
  const words = listWords(await module.exports.buildProgram({}, act, () => {}, 'all'))
  return [...new Set([...words, 'help', 'h', 'local', 'json', 'ndjson', 'csv', 'ids'])]
}

async function readLicenses(inputs) {
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
 * Creates the bill of materials in CycloneDX format. npm cannot create it, because only the bundler has the
 * list of bundled packages.
 */
async function createBillOfMaterials(metafile, inputs) {
  const folder = await mkdtemp(join(tmpdir(), 'meetroom-build-'))
  try {
    const used = new Set(inputs)
    const bundled = Object.entries(metafile.inputs).filter(([file]) => used.has(file))
    // Programs for the browser and omitted modules contain no packages.
    const isOther = (file) => /\?script$|^unused:/.test(file)
    const withoutOthers = (key, value) => {
      if (isOther(key)) return undefined
      return Array.isArray(value) ? value.filter(({ path }) => !isOther(path)) : value
    }
    const meta = { ...metafile, inputs: Object.fromEntries(bundled) }
    await writeFile(join(folder, 'meta.json'), JSON.stringify(meta, withoutOthers))
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
  const { parts, comments, metafile } = await bundle()
  const testing = await bundleTesting()
  const inputs = [...parts.flatMap((part) => part.inputs), ...testing.inputs]
  const program = filesOf(parts)
  // The launcher reads the program as latin1. esbuild does not escape regular expression literals.
  for (const [name, text] of program) {
    const [found] = /.{0,30}[^\0-\x7f].{0,30}/.exec(text) ?? []
    if (found) throw new Error(`${name} has a character outside ASCII; write it as an escape: ${found}`)
  }
  const id = createHash('sha256').update(JSON.stringify([...program])).digest('hex').slice(0, 16)
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const files = new Map([...program, ...testing.files])
  files.set('build.json', JSON.stringify({ id, version, words: await listCacheWords() }))
  // License texts must accompany every copy, in addition to the license comments in the code.
  files.set('LEGAL.txt', `${comments.join('\n')}\n${await readLicenses(inputs)}`)
  files.set('sbom.cdx.json', await createBillOfMaterials(metafile, inputs))
  await rm('dist', { recursive: true, force: true })
  await mkdir('dist')
  for (const [name, text] of files) await writeFile(`dist/${name}`, text)
}
