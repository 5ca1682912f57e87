import { toText } from '../../api/to-text.ts'
import { ApiError, ConditionError, suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Printed } from '../output/schemas/printed.ts'
import { openInBrowser } from './browser.ts'
import { findRoomProblem } from './link-rows.ts'
import { MemberLinks } from './member-links.ts'
import { completeRoom, LinkSummary } from './print-links.ts'
import { createRoomLink, openLinks, previewRooms, readUserAccess } from './run-links.ts'

/**
 * Opens a room in the browser, or prints the link if there is no browser.
 * @throws {MeetroomError} if no link can be built, or the browser does not request the link in time
 */
export async function runRoomOpen(context: Context, id: string, as: string | undefined): Promise<void> {
  const options = await openLinks(context, {})
  if (context.flags.curl) return previewRooms(context, [{ id }])
  const client = await context.client()
  const user = as === undefined ? undefined : await readUserAccess(context, as)
  const room = await completeRoom(client, { id }, options)
  const links =
    as === undefined || !user
      ? createRoomLink(room, options)
      : await new MemberLinks(context, client, options).ofUser(room, as, user)
  const { link = null, reason = null } = links.rows[0] ?? {}
  if (link === null) {
    const isTerminated = findRoomProblem(room, false) !== undefined
    const needsUser = as === undefined && !isTerminated
    throw new (needsUser ? UsageError : ApiError)(`room ${id} cannot be opened: ${reason}`, {
      hint: isTerminated ? ['reopen it with: ', suggest(['rooms', 'reopen'], id)] : undefined,
    })
  }
  const printer = await context.printer()
  const result = await openInBrowser(context, link)
  if (result === 'late')
    throw new ConditionError('the browser did not open the link', {
      hint: [
        'print the link with: ',
        suggest(['rooms', 'link', ...(as === undefined ? [] : ['--as', as])], id),
      ],
    })
  const opened = result === 'opened'
  if (printer.printsJson) {
    const shown: Printed['rooms open'] = { room_id: id, opened, link: opened ? null : link }
    await printer.json(shown)
  } else if (opened) await printer.notice(`opened ${toText(room['name']) || id} in the browser`)
  else await printer.line(link)
  if (opened || !options.template.uses('access_token')) return
  const summary = new LinkSummary()
  summary.add(links)
  for (const notice of summary.notices()) await context.notice(notice)
}
