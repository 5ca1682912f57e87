#!/usr/bin/env node

// Compiles the bundle with the code cache that an earlier run has left, runs it, and sets the exit code. A start is mostly
// compiling: with the cache it takes half as long. module.enableCompileCache, which Node has from 22.1 on, saves less.
const { mkdirSync, readFileSync, renameSync, lstatSync, statSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { Script } = require('node:vm')

const file = join(__dirname, '../dist/meetroom.js')
const argv = process.argv.slice(2)
const cache = cacheFile()
const cachedData = cache && read(cache)
// The bundle is ASCII: one byte a character is all that reading it takes.
const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData })
const bundle = { exports: {} }
script.runInThisContext()(bundle.exports, createRequire(file), bundle)
bundle.exports.main(argv).then((code) => {
  process.exitCode = code
  if (cache && (!cachedData || script.cachedDataRejected)) write(cache, script)
})

/**
 * Where the cache of this kind of command is: one for each group and way of output, as a cache holds only what its first run
 * has used. Undefined where none may be kept.
 */
function cacheFile() {
  const { env } = process
  const base =
    env.XDG_CACHE_HOME ||
    (process.platform === 'win32'
      ? env.LOCALAPPDATA
      : env.HOME && join(env.HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache'))
  if (!base) return undefined
  const group = argv.find((word) => /^[a-z]/.test(word)) ?? argv[0] ?? ''
  const kind = [
    group,
    argv.includes('--local') && 'local',
    argv.find((word) => /^(--json|json|ndjson|csv|ids)$/.test(word)),
  ]
  try {
    const { size, mtimeMs } = statSync(file)
    // V8 looks at the length of the source and no more.
    const build = `${process.version}-${process.arch}-${size}-${Math.round(mtimeMs)}`
    const name = kind
      .filter(Boolean)
      .join('-')
      .replace(/[^a-z-]/g, '')
      .slice(0, 40)
    return join(base, 'meetroom', build, name)
  } catch {
    return undefined
  }
}

/** What is run must come from folders and a file that nobody else can write to; undefined where there is no such file. */
function read(path) {
  try {
    return isOurs(join(path, '../..')) && isOurs(join(path, '..')) && isOurs(path)
      ? readFileSync(path)
      : undefined
  } catch {
    return undefined
  }
}

function isOurs(path) {
  const { uid, mode } = lstatSync(path)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

/** A cache that cannot be written is no cache: nothing else follows from it. */
function write(path, script) {
  try {
    const folder = join(path, '..')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOurs(folder) || !isOurs(join(folder, '..'))) return
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, script.createCachedData(), { mode: 0o600 })
    renameSync(draft, path)
  } catch {}
}
