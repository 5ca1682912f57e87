// Optional edits of libraries that remove unused parts from a start. A library in another version than the checked one,
// or with text that an edit does not fit, is bundled unedited, with a notice. Everything works without edits.
//
// Each group is kept because it saves at least 3 % of a command. The figures are times without the group divided by times
// with it: medians of 41 pairs or more on Node 20 and on Node 24, for `rooms list` of 30 rooms on a loopback service.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const checkedWith = { 'cli-table3': '0.6.5' }

const edits = {
  // Measuring compiles a pattern of all emoji, but most text is ASCII. Measured for tables: 1.07 and 1.05.
  'cli-table3/src/utils.js': [
    [
      "const stringWidth = require('string-width');",
      "const stringWidth = (text) => (/^[ -~]*$/.test(text) ? text.length : require('string-width')(text));",
    ],
  ],
  // A debug message measures its ellipsis, which is not ASCII.
  'cli-table3/src/cell.js': [['let content = utils.truncate(this.content, 10, this.truncate);', "let content = '';"]],
}

/**
 * Returns the edited text of a library file.
 * @param file its path below node_modules
 * @throws {Error} when an edit does not fit the text
 */
export function edited(file, text) {
  for (const [before, after] of edits[file] ?? []) {
    const parts = text.split(before)
    if (parts.length !== 2) throw new Error(`${file} has changed: it does not have exactly one “${before}”`)
    text = parts.join(after)
  }
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
