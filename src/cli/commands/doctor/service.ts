import { endpoints } from '../../../api/endpoints.ts'
import { findResponseProblem } from '../../../api/guards.ts'
import { adviseOnVariable } from '../../../config/key.ts'
import { AuthError, suggest } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { type CheckResult, describeFailure, type Finding, runCheck, skipCheck } from './finding.ts'

/** Maximum clock difference, in seconds. A difference of minutes makes webhook signatures invalid. */
const maxSkewSeconds = 60

export async function checkService(context: Context): Promise<Finding[]> {
  let date: string | undefined
  let received = 0
  let refused: AuthError | undefined
  const workspace = await runCheck(context, 'workspace', async (interrupt) => {
    const client = await context.client({ interrupt })
    try {
      const { value } = await client.request(endpoints.listRooms, { query: { limit: 1 } }, ({ headers }) => {
        date = headers['date']
        received = context.host.now()
      })
      const problem = findResponseProblem('listRooms', value)
      if (problem === undefined) return 'can be read'
      return { problem: `the list of rooms cannot be read: ${problem}`, hint: 'check the base URL' }
    } catch (error) {
      interrupt.throwIfAborted()
      if (error instanceof AuthError) refused = error
      return describeFailure(error, ['show the response with: ', suggest(['api', 'GET', '/rooms', '-i'])])
    }
  })
  const clock = await runCheck(context, 'clock', () => checkClock(date, received))
  const heard =
    date === undefined && workspace.status === 'failed' ? skipCheck('clock', 'no response') : clock
  if (refused) {
    const { message, status } = refused
    const advice = adviseOnVariable(await context.settings())
    const key = await runCheck(context, 'key accepted', () => ({
      problem: message,
      hint: advice ?? ['log in again with: ', suggest(['auth', 'login']), ', or set MEETROOM_API_KEY'],
    }))
    return [
      heard,
      key,
      skipCheck('workspace', status === undefined ? 'nothing was sent' : 'the key is refused'),
    ]
  }
  const accepted =
    workspace.status === 'ok'
      ? await runCheck(context, 'key accepted', () => 'yes')
      : skipCheck('key accepted', 'unknown: the response does not show it')
  return [heard, accepted, workspace]
}

/** Compares the clocks, ignoring a difference of one second, because the service reports whole seconds. */
function checkClock(date: string | undefined, now: number): CheckResult {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return 'the service does not send its time'
  const seconds = Math.round((now - theirs) / 1000)
  const ahead = seconds > 0 ? 'ahead of' : 'behind'
  if (Math.abs(seconds) <= 1) return 'the same time as the service'
  const words = `${Math.abs(seconds)} s ${ahead} the clock of the service`
  return Math.abs(seconds) <= maxSkewSeconds
    ? words
    : { problem: words, hint: 'set the clock of this machine' }
}
