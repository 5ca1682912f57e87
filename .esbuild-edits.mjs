// Optional edits of libraries, so that a start does not pay for parts that the program never uses. A library in another version
// than the checked one, or one whose text an edit does not fit, is bundled unedited, with a notice. Everything works without edits.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The versions that the edits were checked with. */
const checkedWith = { 'cli-table3': '0.6.5', commander: '14.0.3', undici: '7.30.2' }

/** In place of a part of a library that nothing calls. */
const leftOut = "function () { throw new Error('left out of the bundle: see .esbuild-edits.mjs') }"

/**
 * Node 20 would spend 85 ms at exit on compiling the WebAssembly of the HTTP parser a second time, better. A module keeps the
 * budget that it was made with; afterwards the default is put back, as V8 takes code for that of another configuration else.
 */
const compileOnce = `function compileOnce (bytes) {
  if (!process.version.startsWith('v20.')) return new WebAssembly.Module(bytes)
  const { setFlagsFromString } = require('node:v8')
  setFlagsFromString('--wasm-tiering-budget=1000000000')
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    setFlagsFromString('--wasm-tiering-budget=1800000')
  }
}`

/**
 * The parser in WebAssembly takes 4 ms before it has read a byte, and most commands end with one plain answer, which is read
 * without it. Who has to wait for the service has the time: it is made, and called once, as V8 compiles at the first call.
 */
const parserWhenNeeded = `const { parsePlainResponse } = require('plain-answer')
function makeParser () {
  llhttpInstance ??= lazyllhttp()
  return llhttpInstance.exports
}
function warmUp () {
  if (llhttpInstance) return
  try {
    const { llhttp_alloc, llhttp_execute, llhttp_free } = makeParser()
    const parser = llhttp_alloc(constants.TYPE.RESPONSE)
    llhttp_execute(parser, 0, 0)
    llhttp_free(parser)
  } catch {}
}`

/** A connection stays with the parser once it has come to need it. */
const plainFirst = `if (!this.llhttp) {
      const { client, socket } = this
      try {
        const request = client[kRunning] > 0 && client[kQueue][client[kRunningIdx]]
        const mayBePlain = request && request.method !== 'HEAD' && request.method !== 'CONNECT' && !request.upgrade
        if (mayBePlain && !socket.destroyed && parsePlainResponse(chunk, this)) return
        this.llhttp = makeParser()
        this.ptr = this.llhttp.llhttp_alloc(constants.TYPE.RESPONSE)
      } catch (err) {
        util.destroy(socket, err)
        return
      }
    }
    const { socket, llhttp } = this`

/** Replacements by file. */
const edits = {
  // Executable subcommands.
  'commander/lib/command.js': [
    [
      "const childProcess = require('node:child_process');",
      "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };",
    ],
  ],
  // Measuring compiles a pattern of all emoji; most text is ASCII.
  'cli-table3/src/utils.js': [
    [
      "const stringWidth = require('string-width');",
      "const stringWidth = (text) => (/^[ -~]*$/.test(text) ? text.length : require('string-width')(text));",
    ],
  ],
  // A debug message that nobody sees measures its ellipsis, which is not ASCII.
  'cli-table3/src/cell.js': [['let content = utils.truncate(this.content, 10, this.truncate);', "let content = '';"]],
  // HTTP/2, which has to be asked for; and node:http for one number, whose default this is.
  'undici/lib/dispatcher/client.js': [
    ["const connectH2 = require('./client-h2.js')", `const connectH2 = ${leftOut}`],
    ["const http = require('node:http')", 'const http = { maxHeaderSize: 16384 }'],
  ],
  // Forms as bodies bring half of fetch along.
  'undici/lib/dispatcher/client-h1.js': [
    ['function lazyllhttp () {', `${compileOnce}\nfunction lazyllhttp () {`],
    [
      "mod = new WebAssembly.Module(require('../llhttp/llhttp_simd-wasm.js'))",
      "mod = compileOnce(require('../llhttp/llhttp_simd-wasm.js'))",
    ],
    ['let llhttpInstance = null', `let llhttpInstance = null\n${parserWhenNeeded}`],
    ['constructor (client, socket, { exports }) {', 'constructor (client, socket) {'],
    ['this.llhttp = exports', 'this.llhttp = null'],
    // Not null, which is that of a connection that is closed.
    ['this.ptr = this.llhttp.llhttp_alloc(constants.TYPE.RESPONSE)', 'this.ptr = -1'],
    ['const { socket, llhttp } = this', plainFirst],
    ['this.llhttp.llhttp_free(this.ptr)', 'this.llhttp?.llhttp_free(this.ptr)'],
    ['if (!llhttpInstance) {\n    llhttpInstance = lazyllhttp()\n  }', ''],
    [
      'socket[kParser] = new Parser(client, socket, llhttpInstance)',
      'socket[kParser] = new Parser(client, socket)\n  if (!llhttpInstance) setTimeout(warmUp, 20).unref()',
    ],
    ["extractBody = require('../web/fetch/body.js').extractBody", `extractBody = ${leftOut}`],
  ],
  // Requests that pass on what a node:http server has received.
  'undici/lib/core/util.js': [
    ["const { IncomingMessage } = require('node:http')", 'class IncomingMessage {}'],
    // To build a tree of all known names takes longer than to put the few of an answer into lower case.
    ["const { tree } = require('./tree')", 'const tree = { lookup: () => null }'],
  ],
}

/** node:assert is dearer than the rest of undici, for assertions that hold. */
const assertion = ["const assert = require('node:assert')", "const assert = (...args) => args[0] || require('node:assert')(...args)"]

/** The tables of the HTTP parser, of which undici reads two: made here instead of at every start. */
const parserTables = 'undici/lib/llhttp/constants.js'

/**
 * Returns the edited text of a library file.
 * @param file its path below node_modules
 * @throws {Error} when an edit does not fit the text
 */
export function edited(file, text) {
  if (file === parserTables) {
    const { ERROR, TYPE } = require(parserTables)
    return `module.exports = ${JSON.stringify({ ERROR, TYPE })}`
  }
  const all = [...(edits[file] ?? [])]
  if (file.startsWith('undici/') && text.includes('node:assert')) all.push(assertion)
  for (const [before, after] of all) {
    const parts = text.split(before)
    if (parts.length !== 2) throw new Error(`${file} has changed: it does not have exactly one “${before}”`)
    text = parts.join(after)
  }
  const unforeseen = file.startsWith('undici/') && /\bassert\.|constants\.(?!ERROR\b|TYPE\b|js\b)/.exec(text)
  if (unforeseen) throw new Error(`${file} has changed: nothing provides for its “${unforeseen[0]}…”`)
  return text
}

const libraryOf = (file) => file.split('/')[0]
const belowModules = (path) => path.replaceAll('\\', '/').replace(/^(?:.*\/)?node_modules\//, '')

/**
 * Returns the libraries whose edits apply. The edits of one library belong together: when one does not fit, none is applied.
 * @param {(name: string) => string} versionOf version of an installed library
 * @param {(file: string) => string} textOf text of a file below node_modules
 * @param {(text: string) => void} notice told why a library stays unedited
 */
export function editableLibraries(versionOf, textOf, notice) {
  return Object.entries(checkedWith).flatMap(([name, checked]) => {
    try {
      const version = versionOf(name)
      if (version !== checked) throw new Error(`the edits were checked with ${checked}, and this is ${version}`)
      for (const file of Object.keys(edits)) if (libraryOf(file) === name) edited(file, textOf(file))
      return [name]
    } catch ({ message }) {
      notice(`${name} is bundled unedited: ${message}; see .esbuild-edits.mjs`)
      return []
    }
  })
}

/** Applies the edits while esbuild bundles. */
export const lighterLibraries = {
  name: 'lighter-libraries',
  setup({ onLoad }) {
    const libraries = editableLibraries(
      (name) => require(`./node_modules/${name}/package.json`).version,
      (file) => readFileSync(`node_modules/${file}`, 'utf8'),
      (text) => console.warn(text),
    )
    if (libraries.length === 0) return
    const filter = new RegExp(`node_modules[\\\\/](?:${libraries.join('|')})[\\\\/].*\\.js$`)
    onLoad({ filter }, ({ path }) => ({ contents: edited(belowModules(path), readFileSync(path, 'utf8')) }))
  },
}
