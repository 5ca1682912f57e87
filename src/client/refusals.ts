import { endpoints, type Route } from '../api/endpoints.ts'
import type { Exchange, ExchangeOptions, ExchangeResult } from './exchange.ts'
import type { ServiceFacts } from './probe.ts'
import { type AnyInput, checkHint } from './request.ts'

export type Refusals = ReturnType<typeof createRefusals>

/** Creates the reader of unsuccessful responses. Some need a probe or a lookup to explain them. */
export function createRefusals(
  exchange: Exchange,
  { baseUrl, keyHint }: Pick<ExchangeOptions, 'baseUrl' | 'keyHint'>,
  facts: ServiceFacts,
) {
  const sendProbe = () =>
    exchange(endpoints.listRooms, { query: { limit: 1 } }, undefined, async ({ response }) => {
      const { readProbe } = await import('./probe.ts')
      return readProbe(response)
    })
  const probe = () => (facts.probe ??= sendProbe())
  const describe = ({ response, line }: ExchangeResult, endpoint: Route, input: AnyInput) => ({
    ...{ response, line, endpoint, input, baseUrl, keyHint, probe },
    probeAfterDenial: () => (facts.probeAfterDenial ??= sendProbe()),
    /** Returns true after a failed lookup, so that the failure does not hide the refusal. */
    userExists(user_id: string): Promise<boolean> {
      const exists = ({ response }: ExchangeResult) => ![400, 404, 410].includes(response.status)
      return exchange(endpoints.getUser, { params: { user_id } }, undefined, exists).catch(() => true)
    },
    check: () => checkHint(endpoint, input),
  })

  async function throwError(result: ExchangeResult, endpoint: Route, input: AnyInput): Promise<never> {
    const { toResponseError } = await import('./response-error.ts')
    throw await toResponseError(describe(result, endpoint, input))
  }

  /**
   * Returns undefined if the refusal means that the item does not exist.
   * @throws the error of any other refusal
   */
  async function readMissing(result: ExchangeResult, endpoint: Route, input: AnyInput): Promise<undefined> {
    const { isMissingItem } = await import('./response-error.ts')
    const isMissing = await isMissingItem(describe(result, endpoint, input))
    return isMissing ? undefined : throwError(result, endpoint, input)
  }

  return { probe, throwError, readMissing }
}
