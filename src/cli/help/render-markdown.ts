import type { MarkedToken, Token, Tokens } from 'marked'
import type { Visible } from '../../host.ts'
import type { Style } from '../output/terminal/style.ts'
import { joinVisible, own, visible, visibleLines } from '../output/terminal/visible.ts'

const codeIndent = '  '

/** Renders a help topic without HTML. Wraps paragraphs, lists and tables at `width` characters. */
export function renderMarkdown(topic: readonly Token[], style: Style, width: number): Visible {
  const blocks = topic.flatMap((token) => renderBlock(token as MarkedToken, style, width))
  return joinVisible(blocks, own`\n\n`)
}

function renderBlock(token: MarkedToken, style: Style, width: number): Visible[] {
  switch (token.type) {
    case 'heading': {
      const text = plainText(token.tokens)
      return [style.bold(visible(token.depth === 1 ? text.toUpperCase() : text))]
    }
    case 'paragraph':
      return [visibleLines(wrap(plainText(token.tokens), width).join('\n'))]
    case 'code':
      return [visibleLines(indent(token.text.split('\n'), codeIndent).join('\n'))]
    case 'list':
      return [visibleLines(listLines(token, width).join('\n'))]
    case 'table':
      return [visibleLines(tableLines(token, width).join('\n'))]
    case 'blockquote':
      return token.tokens.flatMap((inner) => renderBlock(inner as MarkedToken, style, width))
    case 'space':
    case 'html':
    case 'hr':
      return []
    default:
      throw new Error(`a help topic uses Markdown that cannot be shown: ${token.type}`)
  }
}

function listLines(list: Tokens.List, width: number): string[] {
  return list.items.flatMap((item, i) => {
    const marker = list.ordered ? `${Number(list.start) + i}. ` : '- '
    const hanging = ' '.repeat(marker.length)
    const lines = item.tokens.flatMap((token) => itemLines(token as MarkedToken, width - marker.length))
    return lines.map((line, at) => `${at === 0 ? marker : hanging}${line}`.trimEnd())
  })
}

function itemLines(token: MarkedToken, width: number): string[] {
  switch (token.type) {
    case 'text':
      return wrap(plainText(token.tokens ?? [token]), width)
    case 'paragraph':
      return wrap(plainText(token.tokens), width)
    case 'list':
      return listLines(token, width)
    case 'code':
      return ['', ...indent(token.text.split('\n'), codeIndent), '']
    case 'space':
      return []
    default:
      throw new Error(`a list in a help topic uses Markdown that cannot be shown: ${token.type}`)
  }
}

const columnGap = '  '
const minColumnWidth = 10

function tableLines(table: Tokens.Table, width: number): string[] {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => plainText(cell.tokens)))
  const widths = fittedWidths(rows, width)
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => wrap(cell, widths[column] ?? 0))
    const height = Math.max(...cells.map((cell) => cell.length))
    return Array.from({ length: height }, (_, at) =>
      cells
        .map((cell, column) => (cell[at] ?? '').padEnd(widths[column] ?? 0))
        .join(columnGap)
        .trimEnd(),
    )
  })
  const rule = widths.map((size) => '-'.repeat(size)).join(columnGap)
  return [...(lines[0] ?? []), rule, ...lines.slice(1).flat()]
}

function fittedWidths(rows: readonly (readonly string[])[], width: number): number[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const available = width - columnGap.length * (widths.length - 1)
  for (let sum = widths.reduce((a, b) => a + b, 0); sum > available; sum--) {
    const widest = Math.max(...widths)
    if (widest <= minColumnWidth) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}

/** Keeps the backticks of code, because plain text has no other mark for code. */
export function plainText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      const inline = token as MarkedToken
      switch (inline.type) {
        case 'codespan':
          return `\`${inline.text}\``
        case 'link':
          return linkText(inline)
        case 'br':
          return ' '
        case 'html':
          return ''
        case 'strong':
        case 'em':
        case 'del':
          return plainText(inline.tokens)
        case 'text':
        case 'escape':
          return 'tokens' in inline && inline.tokens ? plainText(inline.tokens) : inline.text
        default:
          throw new Error(`a help topic uses Markdown that cannot be shown: ${inline.type}`)
      }
    })
    .join('')
    .replaceAll('\n', ' ')
}

function linkText({ href, tokens }: Tokens.Link): string {
  const text = plainText(tokens)
  const [, topic] = /^([a-z-]+)\.md(?:#.*)?$/.exec(href) ?? []
  if (topic) return text.includes('meetroom help') ? text : `${text} (\`meetroom help ${topic}\`)`
  return /^https?:/.test(href) && text !== href ? `${text} (${href})` : text
}

function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (line === '' ? '' : by + line))
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
