import { endpoints, type Route } from '../api/endpoints.ts'
import type { Exchange, ExchangeOptions, ExchangeResult } from './exchange.ts'
import type { ProbeResult, ServiceFacts } from './probe.ts'
import { type AnyInput, checkHint } from './request.ts'

/** Reader of unsuccessful responses. Some need a probe or a lookup to explain them. */
export class Refusals {
  readonly #exchange: Exchange
  readonly #options: Pick<ExchangeOptions, 'baseUrl' | 'keyHint'>
  readonly #serviceFacts: ServiceFacts
  #errors: typeof import('./response-error.ts') | undefined

  constructor(
    exchange: Exchange,
    options: Pick<ExchangeOptions, 'baseUrl' | 'keyHint'>,
    serviceFacts: ServiceFacts,
  ) {
    this.#exchange = exchange
    this.#options = options
    this.#serviceFacts = serviceFacts
  }

  probe(): Promise<ProbeResult> {
    this.#serviceFacts.probe ??= this.#sendProbe()
    return this.#serviceFacts.probe
  }

  async throwError(result: ExchangeResult, endpoint: Route, input: AnyInput): Promise<never> {
    this.#errors ??= await import('./response-error.ts')
    throw await this.#errors.toResponseError(this.#describe(result, endpoint, input))
  }

  /**
   * Returns undefined if the refusal means that the item does not exist.
   * @throws the error of any other refusal
   */
  async readMissing(result: ExchangeResult, endpoint: Route, input: AnyInput): Promise<undefined> {
    this.#errors ??= await import('./response-error.ts')
    const isMissing = await this.#errors.isMissingItem(this.#describe(result, endpoint, input))
    return isMissing ? undefined : this.throwError(result, endpoint, input)
  }

  #describe({ response, line }: ExchangeResult, endpoint: Route, input: AnyInput) {
    const facts = this.#serviceFacts
    const { baseUrl, keyHint } = this.#options
    return {
      ...{ response, line, endpoint, input, baseUrl, keyHint },
      probe: () => this.probe(),
      probeAfterDenial: () => (facts.probeAfterDenial ??= this.#sendProbe()),
      userExists: (user_id: string) => this.#userExists(user_id),
      check: () => checkHint(endpoint, input),
    }
  }

  async #sendProbe(): Promise<ProbeResult> {
    const query = { limit: 1 }
    return this.#exchange(endpoints.listRooms, { query }, undefined, async ({ response }) => {
      const { readProbe } = await import('./probe.ts')
      return readProbe(response)
    })
  }

  /** Returns true after a failed lookup, so that the failure does not hide the refusal. */
  async #userExists(user_id: string): Promise<boolean> {
    const exists = ({ response }: ExchangeResult) => ![400, 404, 410].includes(response.status)
    return this.#exchange(endpoints.getUser, { params: { user_id } }, undefined, exists).catch(() => true)
  }
}
