import { expect, test } from 'vitest'
import { readTopicFile } from '../helpers/documentation.ts'
import { term } from '../helpers/term.ts'
import { createWorld } from '../helpers/world.ts'

const examples = [
  ...readTopicFile('attendance').matchAll(/<!-- term -->\n```console\n\$ meetroom (.*)\n([\s\S]*?)```/g),
]

test('the attendance topic contains at least four examples', () => expect(examples.length).toBeGreaterThan(3))

test.each(examples.map(([, line = '', output]) => [line, output]))(
  'meetroom %s prints the output that the attendance topic shows',
  async (line, output) => {
    const world = await createWorld()
    term(world)
    const env = { LANG: 'en_US.UTF-8', NO_COLOR: '1', MEETROOM_TIME_ZONE: 'Europe/Berlin' }
    const { code, stdout, stderr } = await world.run(line, { tty: true, columns: 80, env })
    expect({ code, output: stdout + stderr }).toEqual({ code: 0, output })
  },
)
