import { type Pace, turns } from '../pace.ts'
import type { LiveSession } from './live.ts'

interface Round {
  sessions: readonly LiveSession[]
  act(session: LiveSession): void
}

/**
 * Does something to many sockets, in turns, so that a large room holds up nobody. In each room one thing comes after the
 * other, so that everybody in it is told the same in the same order.
 */
export class Rounds {
  readonly #pace: Pace
  /** What is to be done in each room, from what is under way on. */
  readonly #rooms = new Map<string, Round[]>()
  readonly #underWay = new Set<Promise<void>>()

  constructor(pace: Pace) {
    this.#pace = pace
  }

  /** Does something to sessions of a room: at once where they are few and nothing else is under way there. */
  go(roomId: string, sessions: readonly LiveSession[], act: Round['act']): void {
    const waiting = this.#rooms.get(roomId)
    if (waiting) {
      waiting.push({ sessions, act })
      return
    }
    const rounds = [{ sessions, act }]
    this.#rooms.set(roomId, rounds)
    const work = this.#work(roomId, rounds)
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
  }

  /** Resolves when everything is done. */
  async done(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #work(roomId: string, rounds: Round[]): Promise<void> {
    const turn = turns(this.#pace)
    for (let round = rounds[0]; round; round = rounds[0]) {
      for (const session of round.sessions) {
        round.act(session)
        const next = turn()
        if (next) await next
      }
      rounds.shift()
    }
    this.#rooms.delete(roomId)
  }
}
