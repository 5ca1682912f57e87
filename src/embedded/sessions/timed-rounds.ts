import { startTurn, type TurnScheduler } from '../common/pace.ts'
import type { LiveSession } from './live.ts'

interface Round {
  sessions: readonly LiveSession[]
  act(session: LiveSession): void
  turnMs?: number | undefined
}

/** Broadcasts in turns, so that large rooms do not delay other requests. The rounds of a room stay in order. */
export class TimedRounds {
  readonly #pace: TurnScheduler
  /** Pending rounds by room; the first one is running. */
  readonly #rooms = new Map<string, Round[]>()
  readonly #underWay = new Set<Promise<void>>()
  /** Turn that all rooms share; it began when no round was running. */
  #turn: ReturnType<typeof startTurn> | undefined

  constructor(pace: TurnScheduler) {
    this.#pace = pace
  }

  /** Runs a round for a room: immediately when it is small and none is pending. */
  go(roomId: string, round: Round): void {
    const waiting = this.#rooms.get(roomId)
    if (waiting) {
      waiting.push(round)
      return
    }
    const rounds = [round]
    this.#rooms.set(roomId, rounds)
    if (this.#underWay.size === 0) this.#turn = startTurn(this.#pace)
    const work = this.#work(roomId, rounds)
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
  }

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
