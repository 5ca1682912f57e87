import { UsageError } from '../../errors.ts'

const named: Readonly<Record<string, string>> = {
  ...{
    comma: ',',
    semicolon: ';',
    colon: ':',
    pipe: '|',
    space: ' ',
    blank: ' ',
    tabulator: 'tab',
    tabs: 'tab',
  },
}

export function parseDelimiter(text: string): string {
  const character = /^(tab|\\t)$/i.test(text) ? '\t' : text
  if (character === '\t' || /^[^\w"\p{C}\p{Zl}\p{Zp}]$/u.test(character)) return character
  const meant = named[text.trim().toLowerCase()]
  throw new UsageError(
    `--delimiter must be one character or tab, not “${text}”`,
    meant === undefined ? {} : { correction: [text, meant] },
  )
}
