// Optional edits of libraries that remove unused parts from a start. A library in another version than the checked one,
// or with text that an edit does not fit, is bundled unedited, with a notice. Everything works without edits.
//
// Each group is kept because it saves at least 3 % of a command. The figures are times without the group divided by times
// with it: medians of 41 pairs or more on Node 20 and on Node 24, for `rooms list` of 30 rooms on a loopback service.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const checkedWith = { undici: '7.30.2' }

/** Replaces unused parts of a library. */
const leftOut = "function () { throw new Error('left out of the bundle: see .esbuild-edits.mjs') }"

/**
 * Node 20 would spend 85 ms at exit on compiling the WebAssembly of the HTTP parser again with optimizations. A module
 * keeps the budget of its creation; the default is restored because V8 rejects code of another configuration.
 * Measured: 1.31 for `rooms list --all` of 19,990 rooms on Node 20.
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
 * The WebAssembly parser takes 4 ms to start, and most commands end with one plain response that needs no parser. It
 * starts, with one call to compile it, while the program waits for the service. Measured: 1.10 and 1.07.
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

/** A connection keeps the parser after its first use. */
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

const edits = {
  // Parts of undici that this program does not use, here and below: 1.15 and 1.20.
  // HTTP/2 is opt-in. node:http provides only one number, which equals this default.
  'undici/lib/dispatcher/client.js': [
    ["const connectH2 = require('./client-h2.js')", `const connectH2 = ${leftOut}`],
    ["const http = require('node:http')", 'const http = { maxHeaderSize: 16384 }'],
  ],
  // Forms as bodies load half of fetch.
  'undici/lib/dispatcher/client-h1.js': [
    ['function lazyllhttp () {', `${compileOnce}\nfunction lazyllhttp () {`],
    [
      "mod = new WebAssembly.Module(require('../llhttp/llhttp_simd-wasm.js'))",
      "mod = compileOnce(require('../llhttp/llhttp_simd-wasm.js'))",
    ],
    ['let llhttpInstance = null', `let llhttpInstance = null\n${parserWhenNeeded}`],
    ['constructor (client, socket, { exports }) {', 'constructor (client, socket) {'],
    ['this.llhttp = exports', 'this.llhttp = null'],
    // Null would mean a closed connection.
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
  // Requests that forward a request of a node:http server.
  'undici/lib/core/util.js': [
    ["const { IncomingMessage } = require('node:http')", 'class IncomingMessage {}'],
    // Building a tree of all known names takes longer than lowercasing the few names of a response.
    ["const { tree } = require('./tree')", 'const tree = { lookup: () => null }'],
  ],
}

/** Tables of the HTTP parser, of which undici reads two; computed at build time. */
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
  for (const [before, after] of edits[file] ?? []) {
    const parts = text.split(before)
    if (parts.length !== 2) throw new Error(`${file} has changed: it does not have exactly one “${before}”`)
    text = parts.join(after)
  }
  const unforeseen = file.startsWith('undici/') && /constants\.(?!ERROR\b|TYPE\b|js\b)/.exec(text)
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
