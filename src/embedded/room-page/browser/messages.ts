import { byId, create } from './elements.ts'

const maxMessages = 500

export class MessageLog {
  #unread = 0
  #title = document.title

  constructor() {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) return
      this.#unread = 0
      this.#showTitle()
    })
  }

  setTitle(title: string): void {
    this.#title = title
    this.#showTitle()
  }

  add(text: string): void {
    const now = new Date()
    const time = create('time', { text: now.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) })
    time.setAttribute('datetime', now.toISOString())
    const list = byId('messages')
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
    const words = create('span', { text })
    words.dir = 'auto'
    list.append(create('li', {}, time, words))
    if (list.children.length > maxMessages) list.firstElementChild?.remove()
    // Older messages stay in view while a person reads them.
    if (isAtEnd) list.scrollTop = list.scrollHeight
    byId('no-messages').hidden = true
    if (!document.hidden) return
    this.#unread++
    this.#showTitle()
  }

  #showTitle(): void {
    document.title = this.#unread > 0 ? `(${this.#unread}) ${this.#title}` : this.#title
  }
}
