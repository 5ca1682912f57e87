import { quoteNames } from '../../../api/plural.ts'
import { UsageError } from '../../../errors.ts'

/**
 * @param where start of the message, such as `--sort: `
 * @param value text that contains the fields: a list, or a condition on one field
 */
export function toUnknownFieldError(
  where: string,
  noun: string,
  unknown: readonly string[],
  value: string,
  fields: readonly string[],
): UsageError {
  const separated = value.split(/[\s;]+/)
  if (separated.length > 1 && separated.every((part) => fields.includes(part.replace(/^-/, ''))))
    return new UsageError(`${where}fields are separated by commas, not “${value}”`, {
      correction: [value, separated.join(',')],
    })
  const isList = !/[=<>~]/.test(value)
  const names = `${unknown.length > 1 ? 'the fields' : 'a field'} ${quoteNames(unknown).join(', ')}`
  return new UsageError(`${where}no ${noun} has ${names}`, {
    hint: `fields are ${fields.join(', ')}`,
    misspelling: {
      kind: 'field',
      words: unknown,
      known: fields,
      correct: (find) => [
        value,
        isList
          ? value
              .split(',')
              .map((part) => correctPart(part.trim(), unknown, find))
              .join(',')
          : unknown.reduce((text, name) => text.replace(name, find(name)), value),
      ],
    },
  })
}

/** Corrects a field with an optional sign, or the first name of a nested field, as in `-metdata.owner`. */
function correctPart(part: string, unknown: readonly string[], find: (word: string) => string): string {
  if (unknown.includes(part)) return find(part)
  const [, sign = '', root = '', rest = ''] = /^(-?)([^.]*)(.*)$/s.exec(part) ?? []
  return sign + find(root) + rest
}
