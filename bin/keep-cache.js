const fs = require('node:fs')
const { join } = require('node:path')

/** Growth above which a cache is rewritten, in bytes. Compiling 8 KB takes half a millisecond. */
const minGrowth = 8 * 1024

/** Maximum total size of the caches of all builds, in bytes. */
const maxTotal = 60_000_000

/** Updates due caches, and enforces `maxTotal`. Ignores all errors. */
module.exports = (folder, scripts, isOurs) => {
  try {
    const all = join(folder, '..')
    for (const path of [join(all, '..'), all, folder]) makeDirectory(path)
    if (!isOurs(fs.lstatSync(folder)) || !isOurs(fs.lstatSync(all))) return
    fs.accessSync(folder, fs.constants.W_OK)
    for (const script of scripts) if (script.isDue) keep(folder, script)
    removeLeastUsed(all)
  } catch {}
}

/** Avoids a recursive `mkdir`, which would never return in /proc. */
function makeDirectory(path) {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

function keep(folder, { name, script, size }) {
  const code = script.createCachedData()
  const path = join(folder, name)
  if (size === undefined || code.length - size > minGrowth) write(path, code)
  // Modification time 0 makes the next run check for more code.
  fs.utimesSync(path, new Date(), size === undefined ? 0 : new Date())
}

/** Writes the code twice, because bin/meetroom.js compares the copies. */
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
