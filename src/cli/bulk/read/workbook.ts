import { UsageError } from '../../../errors.ts'

const zip = Buffer.from('PK\x03\x04', 'latin1')
const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const sheets = 'xl/'

/**
 * Rejects binary spreadsheets, regardless of the file extension.
 * @throws {UsageError} for a workbook or another archive
 */
export async function refuseWorkbook(chunks: AsyncIterable<Buffer>, name: string): Promise<void> {
  let before: Buffer | undefined
  for await (const chunk of chunks) {
    if (before === undefined && startsWith(chunk, compound)) throw workbook(name)
    if (before === undefined && !startsWith(chunk, zip)) return
    // The path `xl/` may span two chunks.
    if (Buffer.concat([before ?? Buffer.alloc(0), chunk]).includes(sheets)) throw workbook(name)
    before = chunk.subarray(-sheets.length)
  }
  if (before)
    throw new UsageError(`${name} is a ZIP archive`, { hint: 'unpack it, and import the file in it' })
}

function startsWith(bytes: Buffer, signature: Buffer): boolean {
  return bytes.subarray(0, signature.length).equals(signature)
}

function workbook(name: string): UsageError {
  return new UsageError(`${name} is an Excel workbook; save it as CSV (UTF-8)`, {
    hint: 'in Excel: File, Save As, “CSV UTF-8 (Comma delimited)”',
  })
}
