import { StringDecoder } from 'node:string_decoder'
import { UsageError } from '../../../errors.ts'

/** Largest line, row or element that is read, in characters: what is longer is not the data of one thing. */
export const maxLength = 16 * 1024 * 1024

/**
 * The lines of a text, some at a time; what follows the last line feed is one too, unless it is nothing. Only a line
 * feed ends a line: node:readline also splits at U+2028, which may stand inside a JSON string.
 * @param name what messages call the text
 * @throws {UsageError} for a line above 16 MB
 */
export async function* linesOf(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let number = 1
  // What there is of the line under way. Joined once: to look through it with every chunk would take quadratic time.
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
