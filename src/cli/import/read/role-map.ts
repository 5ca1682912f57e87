import { formatChoices } from '../../../api/either.ts'
import { isRecord } from '../../../api/guards.ts'
import { counted, listNames, plural, quoteNames } from '../../../api/plural.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import type { Fields } from '../../../api/resource-types.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import { toWordKey } from '../../matching/match.ts'
import { findNearChoice } from '../../matching/near.ts'
import type { RequestBody } from '../adapter/adapter.ts'
import { listFields } from './identity.ts'

export type RoleWords = ReadonlyMap<string, MemberType>

const example = "as in --role-map 'Teacher=host,Pupil=guest'"

export const roleMapOption = [
  '--role-map <value=role>',
  "role for each value of the role column, such as 'Teacher=host,Pupil=guest'; repeatable",
  parseRoleMap,
] as const

function parseRoleMap(text: string, before?: RoleWords): RoleWords {
  const pairs = text.split(',').map((pair) => {
    const equals = pair.lastIndexOf('=')
    const word = pair.slice(0, Math.max(equals, 0)).trim()
    const typed = pair.slice(equals + 1)
    const role = memberTypes.find((type) => type === typed.trim().toLowerCase())
    if (word !== '' && role) return [word, role] as const
    const roles = formatChoices(memberTypes)
    throw new UsageError(`--role-map must be VALUE=ROLE with the role ${roles}, not “${pair.trim()}”`, {
      hint: example,
    })
  })
  return new Map([...(before ?? []), ...pairs])
}

const maxNamed = 20

/** Returns `--role-map` for values that are not roles; empty if there are none, or one has no probable role. */
export function suggestRoleMap(values: Iterable<string>): readonly string[] {
  const words = new Set(Array.from(values, (value) => value.trim()).filter((word) => word !== ''))
  const isRole = (word: string) => memberTypes.some((role) => role === toWordKey(word).toLowerCase())
  const unknown = [...words].filter((word) => !isRole(word))
  const pairs = unknown.map((word) => `${word}=${findNearChoice(word, memberTypes)}`)
  const isUsable = pairs.length > 0 && pairs.length <= maxNamed
  return isUsable && !pairs.some((pair) => /[,=;].*=|=undefined$/.test(pair))
    ? ['--role-map', pairs.join(',')]
    : []
}

export class RoleReader {
  readonly #roles: RoleWords
  /** Unknown role values, by the text of the problem. */
  readonly #values = new Map<string, readonly string[]>()
  /** Words of `--role-map` that no row has contained so far, by key. */
  readonly #unused: Map<string, string>
  readonly #found = new Map<string, string>()
  readonly #unknown = new Map<string, { value: string; rows: number; place: string }>()

  constructor(words: RoleWords = new Map()) {
    const roles = memberTypes.map((role) => [role, role] as const)
    this.#roles = new Map([...roles, ...words].map(([word, role]) => [toWordKey(word), role]))
    this.#unused = new Map([...words.keys()].map((word) => [toWordKey(word), word]))
  }

  roleOf(word: string): MemberType | undefined {
    const key = toWordKey(word)
    const role = this.#roles.get(key)
    if (role && !this.#found.has(key)) {
      this.#found.set(key, word)
      this.#unused.delete(key)
    }
    return role
  }

  describeUnused(): string | undefined {
    if (this.#unused.size === 0) return undefined
    const quote = (words: Iterable<string>) => listNames(quoteNames(words), maxNamed)
    const found = this.#found.size === 0 ? 'no roles' : quote(this.#found.values())
    return `warning: no row has the role ${quote(this.#unused.values())} of --role-map; the rows have ${found}`
  }

  /** Creates a function that converts the roles in a body. Unknown roles of a field are one problem. */
  createConverter(fields: Fields) {
    const isRole = (field: string) => fields[field]?.type === memberTypes
    const names = Object.keys(fields).filter(isRole)
    return (body: RequestBody, onProblem: (field: string, problem: string) => void): RequestBody => {
      let converted = body
      const problems: string[] = []
      const unknown: string[] = []
      const convert = (record: RequestBody, field: string, path: string): RequestBody => {
        const word = record[field]
        if (typeof word !== 'string' || word === '') return record
        const role = this.roleOf(word)
        if (role === word) return record
        if (role) return { ...record, [field]: role }
        problems.push(`${path}${field} must be ${formatChoices(memberTypes)}, not “${word}”`)
        unknown.push(word)
        return record
      }
      const report = (field: string) => {
        if (problems.length === 0) return
        const problem = problems.splice(0).join('; ')
        if (this.#values.size < maxProblems) this.#values.set(problem, unknown.splice(0))
        onProblem(field, problem)
      }
      for (const field of names) {
        converted = convert(converted, field, '')
        report(field)
      }
      for (const field of listFields) {
        const list = converted[field]
        if (!Array.isArray(list)) continue
        const members = list.map((member, i) =>
          isRecord(member) ? convert(member, 'type', `${field}[${i}].`) : member,
        )
        if (members.some((member, i) => member !== list[i])) converted = { ...converted, [field]: members }
        report(field)
      }
      return converted
    }
  }

  /** Records the unknown roles of a problem. Returns false if the problem must be reported separately. */
  noteProblem(problem: string, place: string): boolean {
    const values = this.#values.get(problem)
    for (const value of values ?? []) this.noteUnknown(value, place)
    return values !== undefined
  }

  noteUnknown(value: string, place: string): void {
    const known = this.#unknown.get(toWordKey(value))
    if (known) known.rows++
    else if (this.#unknown.size < maxProblems) this.#unknown.set(toWordKey(value), { value, rows: 1, place })
  }

  unknownError(file: string): UsageError | undefined {
    const { size } = this.#unknown
    if (size === 0) return undefined
    const unknown = [...this.#unknown.values()]
    const names = unknown.map(
      ({ value, rows, place }) => `“${value}” (${counted(rows, 'row')} from ${place})`,
    )
    const words = unknown.map(({ value }) => value).filter((value) => !isSeveral(value))
    const pairs = words.flatMap((word) => {
      const role = findNearChoice(word, memberTypes)
      return role === undefined ? [] : [`${word}=${role}`]
    })
    const what = `${counted(size, 'value')} ${plural(size, 'is', 'are')} not ${formatChoices(memberTypes)}`
    const flag = pairs.length < words.length ? ` with --role-map: ${formatChoices(memberTypes)}` : ''
    const known = quoteForShell(pairs.slice(0, maxNamed).join(','))
    return new UsageError(`${file}: ${what}: ${listNames(names, maxNamed)}`, {
      hint:
        words.length === 0
          ? `change ${plural(size, 'it', 'them')} in the file`
          : `name ${plural(size, 'its role', 'their roles')}${flag}${pairs.length === 0 ? '' : `, as in --role-map ${known}`}`,
    })
  }
}

/** Returns true for values that are probably not a single role. */
const isSeveral = (value: string) => /[,=;]|^(guest|host|monitor)\s/i.test(value)

/** Maximum number of problems, and of unknown values, that are kept. */
const maxProblems = 1000
