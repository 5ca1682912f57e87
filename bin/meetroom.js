#!/usr/bin/env node

// Runs the program part by part, compiled with the code cache that an earlier command of its kind has left, and sets the exit
// code. A start is mostly compiling. module.enableCompileCache, which Node has from 22.1 on, saves less.
const fs = require('node:fs')
const { join } = require('node:path')
const { Script } = require('node:vm')

const dist = join(__dirname, '../dist')
const { id, commands } = JSON.parse(fs.readFileSync(join(dist, 'build.json'), 'latin1'))
const argv = process.argv.slice(2)
const kind = kindOf(argv)
const folder = cacheFolder(process.env)
const cache = folder && findCache()

const scripts = new Map()
const parts = new Map()
const modules = new Map()

// What ends with nothing left to wait for, and before it is done, has failed.
process.exitCode = 70
load('./meetroom.js')
  .start(argv)
  .then((code) => {
    process.exitCode = code
    // Errors have compiled too little for the next command of the kind.
    if (folder && kind && code === 0 && (!isWhole() || isDue()))
      require('./keep-cache.js')({ folder, kind, scripts, cache, isWhole: isWhole(), isOurs })
    if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap'))
      require('./leave.js')(code, argv[0] === '__complete')
  })

/** What parts have for `require`: other parts, and what Node finds. */
function load(name) {
  if (!name.startsWith('./')) return require(name)
  if (!modules.has(name)) {
    // A large part has a file of its own; the small ones share the file of the first.
    if (!parts.has(name))
      for (const [part, run] of Object.entries(compile(name.slice(2)))) parts.set(part, run)
    const module = { exports: {}, dirname: dist }
    modules.set(name, module)
    parts.get(name)(module.exports, load, module)
  }
  return modules.get(name).exports
}

function compile(file) {
  const path = join(dist, file)
  // The program is ASCII: one byte a character is all that reading it takes.
  const script = new Script(fs.readFileSync(path, 'latin1'), {
    filename: path,
    cachedData: cache?.code[file],
  })
  scripts.set(file, script)
  return script.runInThisContext()
}

/** Whether the cache had all files that this command has needed. */
function isWhole() {
  return [...scripts].every(([file, { cachedDataRejected }]) => cache?.code[file] && !cachedDataRejected)
}

/**
 * Whether to look how much of these files had to be compiled anyway, as the first command of a kind may have needed little.
 * Looking takes 5 ms, and so is done at the second run, and whenever the time without a look has doubled.
 */
function isDue() {
  return Date.now() - cache.checked >= Math.abs(cache.checked - cache.made)
}

/**
 * What decides which code is needed: `rooms-list-json-local` is the command, the output format and where it works, `rooms-help`
 * the help on any command of the group. Undefined for what is no command, or not yet a whole one.
 */
function kindOf(argv) {
  if (argv[0] === '--version' || argv[0] === '-V') return 'version'
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const wantsHelp = words.includes('--help') || words.includes('-h')
  const group = words.findIndex((word) => Object.hasOwn(commands, word))
  if (group < 0) return wantsHelp || argv.length === 0 ? 'help' : undefined
  const verbs = commands[words[group]]
  if (wantsHelp) return `${typeof verbs === 'string' ? verbs : Object.values(verbs)[0].split('-')[0]}-help`
  const name =
    typeof verbs === 'string'
      ? verbs
      : verbs[words.slice(group + 1).find((word) => Object.hasOwn(verbs, word))]
  const [, format] = /,(?:--|--output[=,]|-o[=,]?)(json|ndjson|csv|ids),/.exec(`,${words},`) ?? []
  return name && [name, format, words.includes('--local') && 'local'].filter(Boolean).join('-')
}

/** Where the caches of this build are; undefined where none may be kept. */
function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  const home = HOME && join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache')
  const base = XDG_CACHE_HOME || (process.platform === 'win32' ? LOCALAPPDATA : home)
  if (!base) return undefined
  // V8 takes any code for that of a file of the same length: the build is known by its content.
  return join(base, 'meetroom', `${process.version}-${process.arch}-${id}`)
}

/** The cache of this kind. What never leaves one, typos and `meetroom help`, borrows another. */
function findCache() {
  try {
    const stat = fs.lstatSync(folder)
    if (!isOurs(stat) || !isOurs(fs.lstatSync(join(folder, '..')))) return undefined
    // Builds that were not used for long are removed.
    if (Date.now() - stat.mtimeMs > 86_400_000) fs.utimesSync(folder, new Date(), new Date())
    if (kind) return readCache(kind)
    return readCache(fs.readdirSync(folder).find((name) => !name.startsWith('.')))
  } catch {
    return undefined
  }
}

/** The code that is kept under a name, by file, when it was made and last looked at; undefined where it is not there or damaged. */
function readCache(name) {
  let file
  try {
    // Neither a link is followed nor a pipe waited for.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
    file = fs.openSync(join(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stat = fs.fstatSync(file)
    if (!stat.isFile() || !isOurs(stat)) return undefined
    return { ...unpack(fs.readFileSync(file)), checked: stat.mtimeMs }
  } catch {
    return undefined
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}

/**
 * V8 runs damaged code until it crashes: all is kept twice, which is compared sooner than any checksum is loaded.
 * @throws {Error} when it does not fit
 */
function unpack(twice) {
  const half = twice.subarray(0, twice.length / 2)
  const headerEnd = half.indexOf('\n')
  const { made, lengths } = JSON.parse(half.toString('latin1', 0, headerEnd))
  const code = {}
  let at = headerEnd + 1
  for (const [file, length] of Object.entries(lengths)) {
    code[file] = half.subarray(at, at + length)
    at += length
  }
  if (at !== half.length || !half.equals(twice.subarray(at))) throw new Error('damaged')
  return { code, made }
}

/** What is run must come from where nobody else can write. */
function isOurs({ uid, mode }) {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}
