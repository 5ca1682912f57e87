import type { Token, Tokens } from 'marked'
import type { Style } from '../output/terminal/style.ts'
import { plainText, renderMarkdown } from './render-markdown.ts'
import { readTopic, type Topic, topicSummaries } from './topics.ts'

const maxFound = 8
/** Weight of words in headings, and of words defined in tables, relative to other text. */
const headingWeight = 100
/** Common words of questions. The search ignores these words if there are other words. */
const ignoredWords: ReadonlySet<string> = new Set(
  'a an and are can do does for from how i in is it me my of on our the to was were what when where which who with'.split(
    ' ',
  ),
)
/** Width that prevents wrapping, in characters. */
const width = 10_000

interface Section {
  topic: Topic
  heading: string
  matched: number
  /** Weighted number of occurrences of the search words. Headings and definitions count more than text. */
  weight: number
}

/** Finds at most `maxFound` help sections, best match first. More than half of the words must match. */
export async function searchTopics(typed: readonly string[], style: Style): Promise<Section[]> {
  const all = typed
    .flatMap((word) => word.split(/\s+/))
    .map((word) => word.replace(/['\u2019]s$|[?.,!]+$/g, ''))
  if (!all.every((word) => /^[\p{L}\p{N}_-]+$/u.test(word))) return []
  const asked = all.filter((word) => !ignoredWords.has(word.toLowerCase()))
  const words = asked.length > 0 ? asked : all
  // The changelog contains most terms, and would match most searches.
  const topics = Object.keys(topicSummaries).filter((topic) => topic !== 'changes') as Topic[]
  const sections = await Promise.all(
    topics.map(async (topic) =>
      cutSections(await readTopic(topic)).map(({ heading, body }) => {
        const title = renderMarkdown([heading], style, width)
        const isTitle = heading.depth === 1
        const text = renderMarkdown(body, style, width)
        const weights = words.map((word) => {
          const inHeading = countWord(word, title) * (isTitle ? 2 : 1)
          return headingWeight * (inHeading + countDefinitions(word, body)) + countWord(word, text)
        })
        return {
          topic,
          heading: isTitle ? topicSummaries[topic] : title,
          matched: weights.filter((weight) => weight > 0).length,
          weight: weights.reduce((sum, one) => sum + one),
        }
      }),
    ),
  )
  const most = Math.max(...sections.flat().map(({ matched }) => matched))
  if (most * 2 <= words.length) return []
  const found = sections.flat().filter(({ matched }) => matched === most)
  return found.sort((a, b) => b.weight - a.weight).slice(0, maxFound)
}

function countWord(word: string, text: string): number {
  const end = /^\d+$/.test(word) ? '(?!\\d)' : ''
  return text.match(new RegExp(`(?<![\\p{L}\\p{N}])${word}${end}`, 'giu'))?.length ?? 0
}

function countDefinitions(word: string, body: readonly Token[]): number {
  const tables = body.filter((token): token is Tokens.Table => token.type === 'table')
  return tables
    .flatMap(({ rows }) => rows)
    .filter(
      ([cell]) => cell && plainText(cell.tokens).replaceAll('`', '').toLowerCase() === word.toLowerCase(),
    ).length
}

function cutSections(tokens: readonly Token[]) {
  const sections: { heading: Tokens.Heading; body: Token[] }[] = []
  for (const token of tokens)
    if (token.type === 'heading') sections.push({ heading: token as Tokens.Heading, body: [] })
    else sections.at(-1)?.body.push(token)
  return sections
}
