#!/usr/bin/env node

// Reuses the compiled code of an earlier command of the same kind. With `module.enableCompileCache`, `rooms
// list --json` takes 1.26 times as long on Node 24.
const fs = require('node:fs')
const { join } = require('node:path')
const { Script } = require('node:vm')

const dist = join(__dirname, '../dist')
const { id, version, words } = readBuild()
const argv = process.argv.slice(2)
// V8 compares only the length of the source, so the directory name contains the build ID.
const folder = cacheFolder(process.env, `${process.version}-${process.arch}-${id}`)
const kind = kindOf(argv)

const scripts = []
const parts = new Map()
const modules = new Map()

const isVersion = argv.length === 1 && ['--version', '-V'].includes(argv[0])
if (!isVersion || !isWritten(`${version}\n`)) run()

function run() {
  // Exit code if the process ends before `main` resolves.
  process.exitCode = 70
  load('./meetroom.js/meetroom.js')
    .main(argv)
    .then((code) => {
      process.exitCode = code
      if (folder && code < 128 && scripts.some(({ isDue }) => isDue)) keepCache()
      const leave = () => require('./leave.js')(code, argv[0] === '__complete')
      if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) leave()
      // After a signal, a thread may still be opening a named pipe.
      else if (code > 128) setTimeout(leave, 200).unref()
    })
}

function readBuild() {
  try {
    return JSON.parse(fs.readFileSync(join(dist, 'build.json'), 'latin1'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    fs.writeSync(2, `error: ${join(dist, '..')} is a checkout that is not built\nhint: run there: npm ci\n`)
    process.exit(1)
  }
}

/** Ignores errors, for example of too many open files, because the cache only saves time. */
function keepCache() {
  try {
    require('./keep-cache.js')(folder, scripts, isOurs)
  } catch {}
}

function isWritten(text) {
  try {
    return fs.writeSync(1, text) === text.length
  } catch {
    return false
  }
}

/** Implements `require` for the parts of the program and for Node modules. */
function load(name) {
  if (!name.startsWith('./')) return require(name)
  if (!modules.has(name)) {
    // `./embedded.js/chunk-1.js` is in embedded.js.
    if (!parts.has(name))
      for (const [part, run] of Object.entries(compile(name.split('/')[1]))) parts.set(part, run)
    const module = { exports: {}, dirname: dist }
    modules.set(name, module)
    parts.get(name)(module.exports, load, module)
  }
  return modules.get(name).exports
}

function compile(file) {
  const filename = join(dist, file)
  const name = `${kind}.${file}`
  const cache = folder && readCache(name)
  // The program is ASCII, which latin1 reads fastest.
  const script = new Script(fs.readFileSync(filename, 'latin1'), { filename, cachedData: cache?.code })
  // A cache may lack code, such as the code for tables after an empty list.
  const isUsable = cache && !script.cachedDataRejected
  const isDue = !isUsable || Date.now() - cache.checked > 3_600_000
  scripts.push({ name, script, isDue, size: isUsable ? cache.code.length : undefined })
  return script.runInThisContext()
}

/** Returns the kind of a command, such as `rooms-list-json-local`. Words outside build.json may be secret. */
function kindOf(argv) {
  const flags = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const known = flags
    .flatMap((word) => word.replace(/^-+/, '').split('='))
    .filter((word) => words.includes(word))
  return known.slice(0, 6).join('-')
}

function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }, build) {
  const home = HOME && join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache')
  const base = XDG_CACHE_HOME || (process.platform === 'win32' ? LOCALAPPDATA : home)
  return base && join(base, 'meetroom', build)
}

function readCache(name) {
  let file
  try {
    if (!isOurs(fs.lstatSync(folder)) || !isOurs(fs.lstatSync(join(folder, '..')))) return undefined
    // The flags prevent following a symbolic link and blocking on a named pipe.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
    file = fs.openSync(join(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stat = fs.fstatSync(file)
    if (!stat.isFile() || !isOurs(stat)) return undefined
    // V8 may crash on damaged code. Comparing two copies is faster than loading a checksum function.
    const twice = fs.readFileSync(file)
    const code = twice.subarray(0, twice.length / 2)
    if (!code.equals(twice.subarray(code.length))) return undefined
    markUsed(file, stat)
    return { code, checked: stat.mtimeMs }
  } catch {
    return undefined
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}

/** Records the use explicitly, because many file systems do not record every read. */
function markUsed(file, { mtime }) {
  try {
    fs.futimesSync(file, new Date(), mtime)
  } catch {}
}

/** Returns true if only this user or root may write to the path, and always on Windows. */
function isOurs({ uid, mode }) {
  return process.getuid === undefined || ((uid === process.getuid() || uid === 0) && (mode & 0o022) === 0)
}
