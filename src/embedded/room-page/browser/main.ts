import { MeetingClock } from './clock.ts'
import { Connection } from './connection.ts'
import { byId, setText } from './elements.ts'
import { postToEmbedder } from './embedding.ts'
import type { Frame, RoomFrame, Session } from './frames.ts'
import { MessageLog } from './messages.ts'
import { PageViewer } from './pages.ts'
import { describeRole, showPeople } from './people.ts'
import { describeEnd, showEnd, showStatus } from './status.ts'
import { keepToken, takeToken } from './token.ts'

function start(): void {
  const room = location.pathname.split('/').at(-1) ?? ''
  const tokenKey = `access_token ${room}`
  const token = takeToken(tokenKey)
  const clock = new MeetingClock()
  const messages = new MessageLog()
  const pages = new PageViewer()
  let session: Session | undefined

  function showRoom(frame: RoomFrame): void {
    const name = frame.room.name ?? frame.room.id
    setText(byId('name'), name)
    messages.setTitle(name)
    showPeople(frame, session?.member_id)
    clock.set(frame.meeting)
    const self = frame.people.find(({ member_id }) => member_id === session?.member_id)
    const type = self?.type ?? session?.type ?? ''
    const note = type === 'monitor' ? `, ${describeRole(type)}` : ''
    showStatus('online', `Connected as ${self?.name ?? 'an anonymous participant'}${note}`)
  }

  function handle(frame: Frame): void {
    switch (frame.event) {
      case 'joined':
        if (!session) postToEmbedder({ event: 'loaded', room_id: frame.session.room_id })
        session = frame.session
        byId('room').hidden = false
        break
      case 'room':
        showRoom(frame)
        break
      case 'clock':
        clock.set(frame.meeting)
        break
      case 'pages':
        pages.set(frame.pages)
        break
      case 'message':
        messages.add(frame.message)
        postToEmbedder({ event: 'message', message: frame.message })
    }
  }

  const connection = new Connection(roomUrl(), token, {
    onFrame: handle,
    onConnecting: () => showStatus('connecting', session ? 'Reconnecting…' : 'Connecting…'),
    onLost: (retryInMs) => {
      clock.stop()
      const pause = Math.max(1, Math.round(retryInMs / 1000))
      showStatus('lost', `Connection lost. Reconnecting in ${pause} s`)
    },
    onEnd: (end) => {
      session = undefined
      clock.hide()
      const ending = describeEnd(end)
      keepToken(tokenKey, undefined)
      showEnd(ending)
      postToEmbedder({ event: 'terminated', reason: ending.reason })
    },
  })
  byId('retry').onclick = () => connection.retryNow()
  byId('again').onclick = () => {
    byId('ended').hidden = true
    keepToken(tokenKey, token)
    connection.open()
  }
  connection.open()
}

/** Returns the WebSocket URL of the room, under the same path prefix as this page. */
function roomUrl(): string {
  const room = location.pathname.split('/').at(-1) ?? ''
  const url = new URL(`../v1/rooms/${room}/connect`, location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  return url.href
}

start()
