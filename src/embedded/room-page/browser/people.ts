import { andMore, counted } from '../../../api/plural.ts'
import { byId, create, setText } from './elements.ts'
import type { Person, RoomFrame } from './frames.ts'

/** @param own member ID of this session */
export function showPeople({ people, more_people }: RoomFrame, own: string | undefined): void {
  setText(byId('count'), `(${people.length + more_people})`)
  byId('people').replaceChildren(...people.map((person) => createPerson(person, person.member_id === own)))
  byId('more-people').hidden = more_people === 0
  setText(byId('more-people'), andMore(more_people))
}

export function describeRole(type: string): string {
  return type === 'monitor' ? 'watching' : type
}

function createPerson({ name, type, connections }: Person, isSelf: boolean): HTMLElement {
  const notes = [...(isSelf ? ['you'] : []), ...(connections > 1 ? [counted(connections, 'connection')] : [])]
  return create(
    'li',
    {},
    create('bdi', { text: name ?? 'Anonymous participant' }),
    create('span', { text: describeRole(type), className: `role ${type}` }),
    ...(notes.length > 0 ? [create('span', { text: notes.join(', '), className: 'hint' })] : []),
  )
}
