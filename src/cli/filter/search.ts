import { endpoints, type OperationName } from '../../api/endpoints.ts'
import type { Resource } from '../../api/resource-types.ts'
import { resources } from '../../api/resources.ts'
import { toText } from '../../api/to-text.ts'
import { UsageError } from '../../errors.ts'
import { foldText } from '../matching/match.ts'
import { type Item, readField, type View } from '../output/views/views.ts'
import type { Filter } from './where.ts'

const searchedFields = ['name', 'email']

/** @throws {UsageError} for an empty text */
export function withSearch(filter: Filter, text: string, list: OperationName, view: View): Filter {
  const needle = foldText(text.trim())
  if (needle === '') throw new UsageError('--search must not be empty')
  const { fields, id }: Resource = resources[endpoints[list].resource]
  const names = [id ?? 'id', ...searchedFields.filter((name) => Object.hasOwn(fields, name))]
  const contains = (item: Item): boolean | undefined => {
    let isUndecided = false
    for (const name of names) {
      const value = readField(view, name, item)
      isUndecided ||= !value.known
      if (value.known && value.value !== null && foldText(toText(value.value)).includes(needle)) return true
    }
    return isUndecided ? undefined : false
  }
  const hint = `--search ${text}: “*” is an ordinary character; a part of the text is enough`
  return {
    ...filter,
    explainNoMatch: () => (text.includes('*') ? [...filter.explainNoMatch(), hint] : filter.explainNoMatch()),
    matches(item) {
      const matches = filter.matches(item)
      const isFound = matches === false ? false : contains(item)
      return isFound === true ? matches : isFound
    },
  }
}
