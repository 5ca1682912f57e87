import { expect, test } from 'vitest'
import { documentation } from '../helpers/documentation.ts'
import { testNow } from '../helpers/host.ts'
import { away, session, watchedRoom } from '../helpers/watched-room.ts'
import { view } from '../helpers/watched-view.ts'

const readme = documentation()
const block = (name: string, language: string) =>
  new RegExp(`<!-- ${name} -->\n\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? ''

const at = (minutes: number) => new Date(testNow + minutes * 60_000).toISOString()
const id = (last: string) => `66f1a2b3c4d5e6f708192a3${last}`
const ada = session(id('0'), {
  member_id: id('c'),
  user_id: 'ada',
  name: 'Ada Lovelace',
  connected_at: at(-23),
})
const grace = session(id('1'), {
  member_id: id('d'),
  user_id: 'grace',
  name: 'Grace Hopper',
  connected_at: at(-2),
})
const anybody = session(id('2'), { member_id: id('e'), user_id: null, connected_at: at(-7) })

test('the sample view in the help of sessions watch equals the output on a terminal', async () => {
  const { screens } = await view([
    { sessions: [ada, anybody] },
    { sessions: [ada, anybody, grace] },
    { sessions: [ada, grace] },
  ])
  expect(`${screens[2]}\n`).toBe(block('watch-view', 'text'))
})

test('the sample lines in the help of sessions watch equal the output to a pipe', async () => {
  const { run } = await watchedRoom([
    { sessions: [ada] },
    { sessions: [ada, grace] },
    { instead: away() },
    { sessions: [ada] },
  ])
  const { stdout } = await run('--retries 0')
  const [command, ...lines] = block('watch', 'console').split('\n')
  expect(command).toBe(`$ meetroom sessions watch ${id('b')} | cat`)
  expect(lines.join('\n')).toBe(stdout.replaceAll('"r1"', `"${id('b')}"`))
})
