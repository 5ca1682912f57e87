import { inTurns, type Pace } from '../common/pace.ts'
import type { LiveSession } from './live.ts'

interface Round {
  sessions: readonly LiveSession[]
  act(session: LiveSession): void
  /** How long a turn may last, in milliseconds. */
  turnMs?: number | undefined
}

/**
 * Does something to many sockets, in turns, so that neither a large room nor many rooms hold up anybody. In each room one
 * thing comes after the other, so that everybody in it is told the same in the same order.
 */
export class TimedRounds {
  readonly #pace: Pace
  /** What is to be done in each room, from what is under way on. */
  readonly #rooms = new Map<string, Round[]>()
  readonly #underWay = new Set<Promise<void>>()
  /** All rooms share the turn that began when nothing was under way. */
  #turn: ReturnType<typeof inTurns> | undefined

  constructor(pace: Pace) {
    this.#pace = pace
  }

  /** Does something to sessions of a room: at once where they are few and nothing else is under way there. */
  go(roomId: string, round: Round): void {
    const waiting = this.#rooms.get(roomId)
    if (waiting) {
      waiting.push(round)
      return
    }
    const rounds = [round]
    this.#rooms.set(roomId, rounds)
    if (this.#underWay.size === 0) this.#turn = inTurns(this.#pace)
    const work = this.#work(roomId, rounds)
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
  }

  /** Resolves when everything is done. */
  async done(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #work(roomId: string, rounds: Round[]): Promise<void> {
    for (let round = rounds[0]; round; round = rounds[0]) {
      for (const session of round.sessions) {
        const next = this.#turn?.(round.turnMs)
        if (next) await next
        round.act(session)
      }
      rounds.shift()
    }
    this.#rooms.delete(roomId)
  }
}
