const fs = require('node:fs')
const { join } = require('node:path')

const thirtyDays = 30 * 86_400_000

/** Bytes of code that compile in about half a millisecond; less is not worth a new cache. */
const much = 8 * 1024

/** Stores the compiled code of a command for the next command of its kind. Write errors are ignored. */
module.exports = (run) => {
  try {
    keep(run)
  } catch {}
}

function keep({ folder, kind, scripts, cache, isWhole, isOurs }) {
  const all = join(folder, '..')
  const path = join(folder, kind)
  for (const parent of [join(all, '..'), all, folder]) makeFolder(parent)
  if (!isOurs(fs.lstatSync(folder)) || !isOurs(fs.lstatSync(all))) return
  fs.accessSync(folder, fs.constants.W_OK)
  const code = { ...cache?.code }
  let compiled = 0
  for (const [file, script] of scripts) {
    const data = script.createCachedData()
    compiled += data.length - (code[file]?.length ?? 0)
    code[file] = data
  }
  if (isWhole && compiled < much) return fs.utimesSync(path, new Date(), new Date())
  write(path, twice(code))
  removeOldBuilds(all, isOurs)
}

/** Creates directories one by one: a recursive `mkdir` never returns in /proc. */
function makeFolder(path) {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

/** Returns the header and the code, repeated for the comparison in `unpack`. */
function twice(code) {
  const lengths = Object.fromEntries(Object.entries(code).map(([file, { length }]) => [file, length]))
  const once = [Buffer.from(`${JSON.stringify({ made: Date.now(), lengths })}\n`), ...Object.values(code)]
  return Buffer.concat([...once, ...once])
}

function write(path, bytes) {
  const draft = join(path, `../.${Math.random().toString(36).slice(2)}`)
  try {
    fs.writeFileSync(draft, bytes, { mode: 0o600, flag: 'wx' })
    fs.renameSync(draft, path)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw error
  }
}

/** Removes the caches of builds that were not used recently. */
function removeOldBuilds(all, isOurs) {
  for (const name of fs.readdirSync(all)) {
    const stat = fs.lstatSync(join(all, name))
    const isBuild = /^v\d+\./.test(name) && stat.isDirectory() && isOurs(stat)
    if (isBuild && Date.now() - stat.mtimeMs > thirtyDays)
      fs.rmSync(join(all, name), { recursive: true, force: true })
  }
}
