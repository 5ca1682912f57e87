import { StringDecoder } from 'node:string_decoder'

/**
 * The lines of a text, some at a time; what follows the last line feed is one too, unless it is nothing. Only a line
 * feed ends a line: node:readline also splits at U+2028, which may stand inside a JSON string.
 */
export async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines
  }
  rest += decoder.end()
  if (rest !== '') yield [rest]
}
