import type { Duplex } from 'node:stream'
import type { Frame } from './frame.ts'

/** Maximum size of all counted frames, in bytes. */
const maxBytes = 128 * 1024 * 1024
/** Maximum size of a frame that is not counted if the socket's buffer is empty, in bytes. */
const maxUncounted = 16 * 1024

/** Limit for unsent frames. A frame for many peers counts once. */
export class Backlog {
  /** Number of counted writes in progress, by frame. */
  readonly #frames = new Map<Frame, number>()
  /** Sockets in the order in which they fell behind. */
  readonly #behind = new Set<Duplex>()
  #bytes = 0

  write(socket: Duplex, frame: Frame): void {
    if (socket.writableLength === 0 && frame.length <= maxUncounted) {
      socket.write(frame)
      return
    }
    this.#hold(frame)
    this.#behind.add(socket)
    socket.write(frame, () => {
      this.#release(frame)
      if (socket.writableLength === 0) this.#behind.delete(socket)
    })
    const [longest] = this.#behind
    if (this.#bytes <= maxBytes || !longest) return
    this.#behind.delete(longest)
    longest.destroy()
  }

  #hold(frame: Frame): void {
    const count = this.#frames.get(frame) ?? 0
    if (count === 0) this.#bytes += frame.length
    this.#frames.set(frame, count + 1)
  }

  #release(frame: Frame): void {
    const count = (this.#frames.get(frame) ?? 1) - 1
    if (count > 0) return void this.#frames.set(frame, count)
    this.#frames.delete(frame)
    this.#bytes -= frame.length
  }
}
