import type { Item } from '../../output/views/views.ts'
import { type InputFormat, readRows } from './rows.ts'
import type { Source } from './source.ts'

/** Number of rows after which no further rows are read. */
const sampleSize = 500

interface Sample {
  /** Columns of a CSV. */
  columns: readonly string[]
  rows: readonly Item[]
}

/** Reads the first rows of an input, from which hints guess the meaning of its columns. */
export async function readSample(
  source: Source,
  format: InputFormat,
  delimiter: string | undefined,
): Promise<Sample> {
  let columns: readonly string[] = []
  const onHeader = (found: readonly string[]) => {
    columns = found
  }
  const rows: Item[] = []
  for await (const batch of readRows(source.read(), format, source.name, '', onHeader, delimiter)) {
    for (const { fields } of batch) if (fields) rows.push(fields)
    if (rows.length >= sampleSize) break
  }
  return { columns, rows }
}
