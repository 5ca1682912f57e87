import { StringDecoder } from 'node:string_decoder'
import { UsageError } from '../errors.ts'

/** Maximum length of a line, row or element, in characters. */
export const maxLength = 16 * 1024 * 1024

/**
 * Splits text into lines at line feeds only, because JSON strings may contain U+2028.
 * @throws {UsageError} for a line longer than `maxLength`
 */
export async function* readLines(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let number = 1
  // Parts of the current line, joined once to avoid quadratic time.
  let parts: string[] = []
  let length = 0
  const add = (part: string) => {
    length += part.length
    if (length > maxLength) throw new UsageError(`${name}:${number}: the line is longer than 16 MB`)
    parts.push(part)
  }
  for await (const chunk of bytes) {
    const [first = '', ...others] = decoder.write(chunk).split('\n')
    add(first)
    const last = others.pop()
    if (last === undefined) continue
    const lines = [parts.join(''), ...others]
    parts = []
    length = 0
    number += lines.length
    add(last)
    yield lines
  }
  add(decoder.end())
  if (length > 0) yield [parts.join('')]
}
