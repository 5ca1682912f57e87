const fs = require('node:fs')
const { join } = require('node:path')

/** Bytes of code that compile in about half a millisecond; less is not worth a new cache. */
const much = 8 * 1024

/** Maximum size of the caches of all builds together, in bytes. */
const maxTotal = 60_000_000

/** Stores the compiled code of a command for the next command of its kind. Write errors are ignored. */
module.exports = (folder, scripts, isOurs) => {
  try {
    const all = join(folder, '..')
    for (const path of [join(all, '..'), all, folder]) makeFolder(path)
    if (!isOurs(fs.lstatSync(folder)) || !isOurs(fs.lstatSync(all))) return
    fs.accessSync(folder, fs.constants.W_OK)
    for (const script of scripts) if (script.isDue) keep(folder, script)
    removeLeastUsed(all)
  } catch {}
}

/** Creates directories one by one: a recursive `mkdir` never returns in /proc. */
function makeFolder(path) {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

function keep(folder, { name, script, size }) {
  const code = script.createCachedData()
  const path = join(folder, name)
  if (size === undefined || code.length - size > much) write(path, code)
  // The second run looks for more code, and then one an hour.
  fs.utimesSync(path, new Date(), size === undefined ? 0 : new Date())
}

/** Writes the code twice: the launcher compares the copies. */
function write(path, code) {
  const draft = join(path, `../.${Math.random().toString(36).slice(2)}`)
  try {
    fs.writeFileSync(draft, Buffer.concat([code, code]), { mode: 0o600, flag: 'wx' })
    fs.renameSync(draft, path)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw error
  }
}

/** Removes caches of all builds until the rest has the maximum size, the least recently used first. */
function removeLeastUsed(all) {
  const builds = fs.readdirSync(all).filter((name) => /^v\d+\./.test(name))
  const files = builds.flatMap((build) =>
    fs.readdirSync(join(all, build)).map((name) => {
      const path = join(all, build, name)
      return { path, ...fs.lstatSync(path) }
    }),
  )
  let total = 0
  for (const { path, size } of files.sort((a, b) => b.atimeMs - a.atimeMs)) {
    total += size
    if (total > maxTotal) fs.rmSync(path, { force: true, recursive: true })
  }
  for (const build of builds)
    if (fs.readdirSync(join(all, build)).length === 0) fs.rmdirSync(join(all, build))
}
