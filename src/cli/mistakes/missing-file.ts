import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, parse, resolve, sep } from 'node:path'
import { findClosest } from '../../api/closest.ts'
import { type Hint, suggest, type UsageError } from '../../errors.ts'

/** Suggests a path of this system, or a file of the same directory with a similar name or another extension. */
export function explainMissingFile(
  { cause }: UsageError,
  words: readonly string[],
  rest: readonly string[],
): Hint | undefined {
  const { code, path } = Object(cause) as NodeJS.ErrnoException
  const foreign = code === 'ENOENT' && path !== undefined ? explainForeign(path, words, rest) : undefined
  if (foreign) return foreign
  const meant = code === 'ENOENT' && path !== undefined ? findMeant(path) : undefined
  if (path === undefined || meant === undefined) return undefined
  const typed = basename(path)
  const at = rest.findIndex(
    (word) => word.endsWith(typed) && /(^|[/\\@=])$/.test(word.slice(0, -typed.length)),
  )
  const word = rest[at]
  if (word === undefined) return `did you mean “${meant}”?`
  return ['did you mean: ', suggest([...words, ...rest.with(at, word.slice(0, -typed.length) + meant)])]
}

/** Explains a path that begins with `~`, and a Windows path on another system. */
function explainForeign(path: string, words: readonly string[], rest: readonly string[]): Hint | undefined {
  for (const [at, word] of rest.entries()) {
    const [, before = '', typed = '', home, drive = '', local = ''] =
      /^((?:--[\w-]+=)?@?)((?:(~)[/\\]|([a-z]):)?(.+))$/is.exec(word) ?? []
    if (typed === '' || !path.endsWith(sep + typed)) continue
    const type = (file: string) => suggest([...words, ...rest.with(at, before + file)])
    if (home) {
      const reason = `the shell does not expand ~ ${before === '' ? 'in quotes' : 'within a word'}`
      const directory = findHome()
      return directory === undefined ? reason : [`${reason}: `, type(join(directory, local))]
    }
    const isWindows = drive !== '' || local.includes('\\')
    if (sep !== '/' || !isWindows) continue
    const slashed = local.replaceAll('\\', '/')
    const mounted = drive === '' ? slashed : join('/mnt', drive.toLowerCase(), slashed)
    const existing = [mounted, basename(slashed)].find((file) =>
      existsSync(resolve(dirOf(path, typed), file)),
    )
    if (existing !== undefined) return ['this is a Windows path; did you mean: ', type(existing)]
    return slashed === local && !local.startsWith('/')
      ? 'this is a Windows path, and the shell removed its backslashes; pass a path of this system'
      : `this is a Windows path; pass a path of this system, such as ${mounted}${drive && ' in WSL'}`
  }
  return undefined
}

/** Returns undefined for an account without a home directory. */
function findHome(): string | undefined {
  try {
    return homedir()
  } catch {
    return undefined
  }
}

const dirOf = (path: string, typed: string) => path.slice(0, -typed.length)

function findMeant(path: string): string | undefined {
  const { name: stem, ext } = parse(path)
  const files = listFiles(dirname(path))
  // A file such as `week-2.csv` is never suggested for `week-1.csv`.
  const likely = files
    .map((file) => parse(file))
    .filter((file) => isSameText(file.ext, ext) && isSameText(numbersOf(file.name), numbersOf(stem)))
    .filter(({ name }) => name.length > 2)
  const closest = findClosest(
    stem,
    likely.map(({ name }) => name),
  )
  const sameStem = files.filter((file) => parse(file).name === stem)
  const sameFormat = sameStem.filter((file) => formatOf(file) === formatOf(path))
  return (
    likely.find(({ name }) => name === closest)?.base ??
    [sameFormat, sameStem].find(({ length }) => length === 1)?.[0]
  )
}

const formatOf = (file: string) =>
  parse(file).ext.toLowerCase().replace('.yml', '.yaml').replace('.jsonl', '.ndjson')

/** Returns the digits and the one-letter words of a name. */
const numbersOf = (name: string) => (name.match(/\d|(?<!\p{L})\p{L}(?!\p{L})/gu) ?? []).join('')

const isSameText = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() || entry.isSymbolicLink() ? [entry.name] : [],
    )
  } catch {
    return []
  }
}
