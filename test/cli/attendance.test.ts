import { beforeEach, describe, expect, test } from 'vitest'
import { member, school, session } from '../helpers/school.ts'
import { createWorld, type World } from '../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})

test('x', async () => {
  school(world, {
    maths: {
      sessions: [session('ada', '08:00', '08:30'), session('ada', '08:20', '09:00'), session('grace', '08:15', '08:30'), session(null, '08:10', null, {member_id: 'm9'})],
      members: [member('ada'), member('grace'), member('alan')],
    },
    art: { sessions: [session('ada', '10:00', '10:30')], members: [member('ada')] },
  })
  const show = async (line: string, o = {}) => { const r = await world.run(line, o); console.log(line, r.code, '\n' + r.stdout + r.stderr) }
  await show('sessions report maths')
  await show('sessions report maths --absent', { tty: true })
  await show('sessions report maths --absent --no-color --to 2026-01-01T09:30Z', { tty: true, columns: 120, env: { LANG: 'C.UTF-8' } })
  await show('sessions report maths art -o csv --absent')
  await show('sessions report maths art nope -o ndjson')
  await show('sessions report nope -o json')
  await show('sessions report --all-rooms --no-color', { tty: true, columns: 100 })
  await show('sessions report --all-rooms --by room')
  await show('sessions report --all-rooms --by session -o csv')
  await show('sessions report')
  await show('sessions report maths --curl')
  await show('sessions report maths --from yesteday')
  console.log(world.requests.map(r => r.url).join('\n'))
})
