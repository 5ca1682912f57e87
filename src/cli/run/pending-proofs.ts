import type { Doubt } from '../../client/evidence.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import type { Prove, Settle } from '../../client/proof.ts'

/** Maximum number of writes that are proved together. */
const maxWaiting = 1000

interface Waiting {
  doubt: Doubt
  prove: Prove
  resolve(response: ResponseBody): void
  reject(error: unknown): void
}

/** Writes of a run that wait for their proof, because one list can prove many writes. */
export class PendingProofs {
  #waiting: Waiting[] = []
  #proving = 0
  onAdd: () => void = () => {}

  readonly #interrupt: AbortSignal

  constructor(interrupt: AbortSignal) {
    this.#interrupt = interrupt
  }

  get count(): number {
    return this.#waiting.length + this.#proving
  }

  readonly add: Settle = (doubt, prove) =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ doubt, prove, resolve, reject })
      // Without a response, the service may be down, so the outcome is needed immediately.
      if (doubt.error.status === undefined || this.#waiting.length >= maxWaiting) void this.flush()
      this.onAdd()
    })

  async flush(): Promise<void> {
    const waiting = this.#waiting
    const [first] = waiting
    if (!first) return
    this.#waiting = []
    this.#proving += waiting.length
    const proofs = this.#interrupt.aborted ? undefined : await first.prove(waiting.map(({ doubt }) => doubt))
    this.#proving -= waiting.length
    for (const { doubt, resolve, reject } of waiting) {
      const proof = proofs?.get(doubt) ?? { error: doubt.error }
      if ('response' in proof) resolve(proof.response)
      else reject(proof.error)
    }
  }
}
