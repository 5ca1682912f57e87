import { counted } from '../../../../api/plural.ts'
import { parseTimestamp } from '../../../../api/readings.ts'
import { toText } from '../../../../api/to-text.ts'
import { PartialError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { FullRecords } from '../../../lists/full-records.ts'
import { readList } from '../../../lists/read-list.ts'
import { toSimilarKeys } from '../../../matching/match.ts'
import { createPage } from '../../../output/views/page.ts'
import { type RowOf, rowKinds } from '../../../output/views/rows.ts'
import { type Item, readField, views } from '../../../output/views/views.ts'

type DuplicateRow = RowOf<'duplicates'>
type ComparedField = DuplicateRow['same']

/** Printed fields of a user, because full records take much memory. */
type Person = Omit<DuplicateRow, 'group' | 'same'> & Item

const comparedFields = ['email', 'name'] as const

/** @throws {PartialError} after printing, if the list of users is incomplete */
export async function listDuplicates(context: Context): Promise<void> {
  const printer = await context.printer()
  printer.check(rowKinds.duplicates)
  const groups = { email: new Map<string, Person[]>(), name: new Map<string, Person[]>() }
  let problem: PartialError | undefined
  try {
    for await (const person of readPeople(context))
      for (const field of comparedFields) addTo(groups[field], field, person)
  } catch (error) {
    if (!(error instanceof PartialError)) throw error
    problem = error
  }
  if (groups.email.size === 0 && groups.name.size > 0)
    await context.notice('the service shows no emails; only names are compared')
  const rows = createRows(groups)
  const { format } = printer.options
  const items = format === 'ids' ? [...new Map(rows.map((row) => [row.user_id, row])).values()] : rows
  await printer.list(rowKinds.duplicates, 'duplicates', createPage({ items }))
  const groupCount = rows.at(-1)?.group ?? 0
  if (format === 'table')
    await printer.notice(
      groupCount === 0
        ? 'no users with the same email or name'
        : `${counted(groupCount, 'group')} of users with the same email or name`,
    )
  if (problem) throw problem
}

async function* readPeople(context: Context): AsyncGenerator<Person> {
  const full = new FullRecords(context, 'listUsers')
  const isPartial = (user: Item) => comparedFields.some((field) => !readField(views.user, field, user).known)
  for await (const { items } of readList(context, 'listUsers', {}, { all: true }))
    for (const user of await full.complete(items, isPartial, '')) {
      if (!user) continue
      const { user_id, name = null, email = null, created_at = null } = user
      yield { user_id, name, email, created_at } as Person
    }
}

/** Merges all groups that share a key with the person. */
function addTo(groups: Map<string, Person[]>, field: ComparedField, person: Person): void {
  const keys = toSimilarKeys(person[field], field)
  const [group = [], ...others] = new Set(keys.map((key) => groups.get(key) ?? []))
  for (const added of [...others.flat(), person]) {
    group.push(added)
    for (const key of toSimilarKeys(added[field], field)) groups.set(key, group)
  }
}

function createRows(
  groups: Readonly<Record<ComparedField, ReadonlyMap<string, readonly Person[]>>>,
): DuplicateRow[] {
  let group = 0
  return comparedFields.flatMap((same) => {
    const found = new Map<readonly Person[], string>()
    for (const [key, people] of groups[same])
      if (people.length > 1 && !found.has(people)) found.set(people, key)
    const sorted = [...found].toSorted(([, one], [, other]) => (one < other ? -1 : 1))
    return sorted.flatMap(([people]) => {
      group++
      return people.toSorted(compareAge).map((person) => ({ group, same, ...person }))
    })
  })
}

const readCreation = ({ created_at }: Person) => parseTimestamp(created_at) ?? Number.POSITIVE_INFINITY

function compareAge(one: Person, other: Person): number {
  const [a, b] = [readCreation(one), readCreation(other)]
  if (a !== b) return a - b
  return toText(one.user_id) < toText(other.user_id) ? -1 : 1
}
