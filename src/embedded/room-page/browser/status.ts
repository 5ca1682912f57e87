import type { End } from './connection.ts'
import { byId, setText } from './elements.ts'

type State = 'connecting' | 'online' | 'lost' | 'ended'

export function showStatus(state: State, text: string): void {
  byId('dot').className = `dot ${state === 'lost' ? 'connecting' : state}`
  setText(byId('status'), text)
  byId('retry').hidden = state !== 'lost'
}

interface Ending {
  title: string
  text: string
  /** Reason that the embedding page receives. */
  reason: string
  isFinal?: boolean
}

const endings: Readonly<Record<number, Ending>> = {
  4001: {
    title: 'You are blocked in this room',
    text: 'You can join again after a host unblocks you.',
    reason: 'blocked',
  },
  4002: { title: 'The meeting has ended', text: 'The room is terminated.', reason: 'terminated' },
  4003: {
    title: 'The room was deleted',
    text: 'This room no longer exists.',
    reason: 'deleted',
    isFinal: true,
  },
  4004: {
    title: 'Your user was deleted',
    text: 'This link no longer works.',
    reason: 'user_deleted',
    isFinal: true,
  },
}

export function describeEnd({ code, reason }: End): Ending {
  const known = endings[code]
  if (known) return known
  const text =
    reason === '' ? 'The service refused the connection.' : `${reason[0]?.toUpperCase()}${reason.slice(1)}.`
  return { title: 'You cannot join this room', text, reason: 'refused' }
}

export function showEnd({ title, text, isFinal = false }: Ending): void {
  showStatus('ended', title)
  setText(byId('ended-title'), title)
  setText(byId('ended-text'), text)
  byId('again').hidden = isFinal
  byId('room').hidden = true
  const panel = byId('ended')
  panel.hidden = false
  panel.focus()
}
