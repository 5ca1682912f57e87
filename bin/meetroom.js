#!/usr/bin/env node

// Runs the program with the code cache of an earlier command of its kind, because a start is mostly compiling.
// With module.enableCompileCache (Node 22.1 and later) instead, `rooms list --json` takes 1.26 times as long, on Node 24.
const fs = require('node:fs')
const { join } = require('node:path')
const { Script } = require('node:vm')

const dist = join(__dirname, '../dist')
const { id, commands } = JSON.parse(fs.readFileSync(join(dist, 'build.json'), 'latin1'))
const argv = process.argv.slice(2)
const kind = kindOf(argv)
// V8 identifies code by its length only, so the build is identified by its content.
const build = `${process.version}-${process.arch}-${id}`
const folder = cacheFolder(process.env)
const cache = (folder && findCache()) ?? findWarmedCache()

/** Modules that libraries load at their start but rarely use: undici for failed assertions, Commander for other programs. */
const rarelyUsed = ['node:assert', 'node:child_process']

const scripts = new Map()
const parts = new Map()
const modules = new Map()

// Exit code of a program that stops before it is done.
process.exitCode = 70
load('./meetroom.js')
  .start(argv)
  .then((code) => {
    process.exitCode = code
    // Failed commands compile too little for the next one.
    if (folder && kind && code === 0 && (!isWhole() || isDue()))
      require('./keep-cache.js')({ folder, kind, scripts, cache, isWhole: isWhole(), isOurs })
    const leave = () => require('./leave.js')(code, argv[0] === '__complete')
    if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) leave()
    // After a signal, a pipe without another end may still occupy a thread.
    else if (code > 128) setTimeout(leave, 200).unref()
  })

/** Implements `require` for parts and Node modules. */
function load(name) {
  if (rarelyUsed.includes(name)) return createStandIn(name)
  if (!name.startsWith('./')) return require(name)
  if (!modules.has(name)) {
    // `./cli-links.js/chunk-1.js` is in cli-links.js; parts of the first file are known already.
    if (!parts.has(name))
      for (const [part, run] of Object.entries(compile(name.split('/')[1]))) parts.set(part, run)
    const module = { exports: {}, dirname: dist }
    modules.set(name, module)
    parts.get(name)(module.exports, load, module)
  }
  return modules.get(name).exports
}

/**
 * Returns a function that asserts its first argument and has the properties of a module, which loads when it is needed.
 * Measured for `rooms list --json`, as CPU time without it divided by the time with it: 1.02 on Node 20 and 1.03 on Node 24.
 */
function createStandIn(name) {
  const assert = (value, ...rest) => value || require(name)(value, ...rest)
  return Object.setPrototypeOf(assert, new Proxy({}, { get: (_, key) => require(name)[key] }))
}

function compile(file) {
  const path = join(dist, file)
  // The program is ASCII, which latin1 reads fastest.
  const script = new Script(fs.readFileSync(path, 'latin1'), {
    filename: path,
    cachedData: cache?.code[file],
  })
  scripts.set(file, script)
  return script.runInThisContext()
}

/** Returns true when the cache held all files of this command. */
function isWhole() {
  return [...scripts].every(([file, { cachedDataRejected }]) => cache?.code[file] && !cachedDataRejected)
}

/**
 * Returns true when the cache should be measured: at the second run, and whenever its age has doubled. Measuring takes
 * 5 ms.
 */
function isDue() {
  return !cache.isWarmed && Date.now() - cache.checked >= Math.abs(cache.checked - cache.made)
}

/**
 * Returns the kind of a command: `rooms-list-json-local` has its output format and target, `rooms-help` is the help of
 * a group. Undefined for an incomplete command.
 */
function kindOf(argv) {
  if (argv[0] === '--version' || argv[0] === '-V') return 'version'
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const wantsHelp = words.includes('--help') || words.includes('-h')
  // A name of a group without a verb behind it is the value of a flag, as in `--profile local rooms list`.
  const group = words.findIndex(
    (word, i) =>
      Object.hasOwn(commands, word) &&
      (wantsHelp ||
        typeof commands[word] === 'string' ||
        words.slice(i + 1).some((verb) => Object.hasOwn(commands[word], verb))),
  )
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

/** Returns the user's cache directory of this build; undefined when there is none. */
function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  const home = HOME && join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache')
  const base = XDG_CACHE_HOME || (process.platform === 'win32' ? LOCALAPPDATA : home)
  if (!base) return undefined
  return join(base, 'meetroom', build)
}

/** Finds the cache of this kind. Commands without one, such as typos, use another kind's. */
function findCache() {
  try {
    const stat = fs.lstatSync(folder)
    if (!isOurs(stat) || !isOurs(fs.lstatSync(join(folder, '..')))) return undefined
    // The time marks the build as used.
    if (Date.now() - stat.mtimeMs > 86_400_000) fs.utimesSync(folder, new Date(), new Date())
    return readCache(folder, kind, isOurs)
  } catch {
    return undefined
  }
}

/**
 * Finds the cache of this kind that `meetroom cache warm` wrote beside `bin`. One owner, root or this user, must have
 * the whole path from the package directory.
 */
function findWarmedCache() {
  // The commands that `cache warm` runs compile their code, because it replaces the warmed cache.
  if (process.getuid === undefined || process.env.MEETROOM_WARMING) return undefined
  const root = join(__dirname, '..')
  const warmed = join(root, 'cache', build)
  try {
    const owner = fs.lstatSync(warmed, { throwIfNoEntry: false })?.uid
    if (owner !== 0 && owner !== process.getuid()) return undefined
    const isTheirs = ({ uid, mode }) => uid === owner && (mode & 0o022) === 0
    for (const path of [root, join(root, 'cache'), warmed]) {
      const stat = fs.lstatSync(path)
      if (!stat.isDirectory() || !isTheirs(stat)) return undefined
    }
    const found = readCache(warmed, kind, isTheirs)
    return found && { ...found, isWarmed: true }
  } catch {
    return undefined
  }
}

/** Reads the cache of a kind, or of any kind when there is none; undefined when it is missing or damaged. */
function readCache(folder, kind, isTrusted) {
  let file
  try {
    const name = kind ?? fs.readdirSync(folder).find((name) => !name.startsWith('.'))
    // Neither follows links nor waits for pipes.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
    file = fs.openSync(join(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stat = fs.fstatSync(file)
    if (!stat.isFile() || !isTrusted(stat)) return undefined
    return { ...unpack(fs.readFileSync(file)), checked: stat.mtimeMs }
  } catch {
    return undefined
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}

/**
 * Compares both copies, which is faster than loading a checksum: V8 would crash on damaged code.
 * @throws {Error} when they differ
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

/** Returns true for a file that other users cannot write. */
function isOurs({ uid, mode }) {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}
