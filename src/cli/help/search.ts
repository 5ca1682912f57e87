import type { Token, Tokens } from 'marked'
import type { Style } from '../output/terminal/style.ts'
import { renderMarkdown } from './render-markdown.ts'
import { readTopic, type Topic, topicSummaries } from './topics.ts'

const maxFound = 8
/** Weight of a heading that contains the word, in occurrences in the text. */
const headingWeight = 100
/** Longer than any line, so that no line is wrapped. */
const width = 10_000

interface Section {
  topic: Topic
  heading: string
  /** Number of occurrences of the word, which counts most in the heading. */
  weight: number
}

/** Finds the sections of help topics that contain a word or its beginning, the best ones first. */
export async function searchTopics(word: string, style: Style): Promise<Section[]> {
  if (!/^[\p{L}\p{N}-]+$/u.test(word)) return []
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${word}${/^\d+$/.test(word) ? '(?!\\d)' : ''}`, 'giu')
  const count = (text: string) => text.match(pattern)?.length ?? 0
  // The changelog mentions everything.
  const topics = Object.keys(topicSummaries).filter((topic) => topic !== 'changes') as Topic[]
  const sections = await Promise.all(
    topics.map(async (topic) =>
      cutSections(await readTopic(topic)).map(({ heading, body }) => {
        const words = renderMarkdown([heading], style, width)
        const isTitle = heading.depth === 1
        const inHeading = count(words) * (isTitle ? 2 : 1)
        const weight = headingWeight * inHeading + count(renderMarkdown(body, style, width))
        return { topic, heading: isTitle ? topicSummaries[topic] : words, weight }
      }),
    ),
  )
  const found = sections.flat().filter(({ weight }) => weight > 0)
  return found.sort((a, b) => b.weight - a.weight).slice(0, maxFound)
}

function cutSections(tokens: readonly Token[]) {
  const sections: { heading: Tokens.Heading; body: Token[] }[] = []
  for (const token of tokens)
    if (token.type === 'heading') sections.push({ heading: token as Tokens.Heading, body: [] })
    else sections.at(-1)?.body.push(token)
  return sections
}
