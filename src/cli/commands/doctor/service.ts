import { endpoints } from '../../../api/endpoints.ts'
import { findResponseProblem } from '../../../api/guards.ts'
import { AuthError, suggest } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { type CheckResult, type Finding, failedCheck, runCheck, skipped } from './finding.ts'

/** Maximum clock difference, in seconds. Webhook signatures are refused beyond some minutes. */
const mostSkew = 60

/** Lists one room, and checks the clock, the key and the workspace from the response. */
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
      return { wrong: `the list of rooms cannot be read: ${problem}`, hint: 'is the base URL right?' }
    } catch (error) {
      interrupt.throwIfAborted()
      if (error instanceof AuthError) refused = error
      return failedCheck(error, ['look at it with: ', suggest(['api', 'GET', '/rooms', '-i'])])
    }
  })
  const clock = await runCheck(context, 'clock', () => skewOf(date, received))
  const heard = date === undefined && workspace.status === 'failed' ? skipped('clock', 'no answer') : clock
  if (refused) {
    const { message, status } = refused
    const key = await runCheck(context, 'key accepted', () => ({
      wrong: message,
      hint: ['log in again with: ', suggest(['auth', 'login']), ', or set MEETROOM_API_KEY'],
    }))
    return [
      heard,
      key,
      skipped('workspace', status === undefined ? 'nothing was sent' : 'the key is refused'),
    ]
  }
  const accepted =
    workspace.status === 'ok'
      ? await runCheck(context, 'key accepted', () => 'yes')
      : skipped('key accepted', 'the service did not say')
  return [heard, accepted, workspace]
}

/** Compares the clocks; the service reports whole seconds. */
function skewOf(date: string | undefined, now: number): CheckResult {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return 'the service does not say what time it is'
  const seconds = Math.round((now - theirs) / 1000)
  const ahead = seconds > 0 ? 'ahead of' : 'behind'
  if (Math.abs(seconds) <= 1) return 'as that of the service'
  const words = `${Math.abs(seconds)} s ${ahead} that of the service`
  return Math.abs(seconds) <= mostSkew ? words : { wrong: words, hint: 'set the clock of this machine' }
}
