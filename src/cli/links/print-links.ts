import { counted } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { roomLinkFields } from '../../config/link-template.ts'
import { PartialError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { RoomsNotice } from '../lists/rooms-notice.ts'
import type { SelectedRooms } from '../lists/select-rooms.ts'
import type { Selection } from '../lists/selection.ts'
import type { Page } from '../output/views/page.ts'
import { rowKinds } from '../output/views/rows.ts'
import { type Item, readField, views } from '../output/views/views.ts'
import { readRecord } from '../records/records.ts'
import { groupPages } from '../run/print-all.ts'
import { openRun } from '../run/run.ts'
import type { Tally } from '../run/tally.ts'
import { blockedReason, type LinkRow, linkAlias, type RoomLinks } from './link-rows.ts'
import type { LinkOptions } from './member-links.ts'

interface LinkRun extends SelectedRooms {
  flags: PaceFlags
  /** Selection of members. Its report follows the links. */
  selection?: Selection | undefined
  options: LinkOptions
  createReader(client: Client): (room: Item) => Promise<RoomLinks>
  /** True to print a single link as plain text, not as a table. */
  isBare?: boolean
}

/** @throws {MeetroomError} unless all rooms could be read and all links could be built */
export async function printLinks(
  context: Context,
  { rooms, incomplete, flags, selection, options, createReader, isBare }: LinkRun,
): Promise<void> {
  const printer = await context.printer()
  await new RoomsNotice(context).expect(rooms.length)
  const run = await openRun(context, flags, { total: rooms.length, summarize })
  const readLinks = createReader(run.client)
  const summary = new LinkSummary()
  const act = async (room: Item) =>
    ({ status: 'ok', value: await readLinks(await completeRoom(run.client, room, options)) }) as const

  async function* pages(): AsyncGenerator<Page> {
    for await (const [room, outcome] of run.each(rooms, act)) {
      if (outcome.status === 'ok') {
        summary.add(outcome.value)
        if (outcome.value.rows.length > 0) yield { items: outcome.value.rows }
      }
      if (!('error' in outcome)) continue
      // With only one room, the command fails with the error of that room.
      if (rooms.length === 1 && !incomplete) throw outcome.error
      await run.report(outcome, `room ${toText(room['id'])}`)
    }
  }

  const selected = selection ? selection.withReport(pages()) : pages()
  if (isBare) {
    for await (const { items } of selected)
      for (const { link } of items as readonly LinkRow[]) if (link !== null) await printer.line(link)
  } else {
    const isOneRoom = rooms.length === 1
    const isTable = printer.options.format === 'table'
    const columns = rowKinds.links.columns.filter(({ field }) => !isOneRoom || field !== 'room_name')
    if (options.columns.includes(linkAlias)) columns.push({ field: linkAlias, weight: 9, isWhole: true })
    await printer.list({ ...rowKinds.links, columns }, 'links', isTable ? groupPages(selected) : selected)
    if (summary.all === 0 && isTable) await printer.notice(rooms.length === 0 ? 'no rooms' : 'no members')
  }
  const printsLinks = printer.options.columns?.some((name) => ['link', linkAlias].includes(name)) ?? true
  for (const notice of options.template.uses('access_token') && printsLinks ? summary.notices() : [])
    await context.notice(notice)
  const error = (await run.finish()) ?? incomplete ?? summary.error
  if (error) throw error
}

/** Requests the full record of a room if a needed field is unknown. */
export async function completeRoom(
  client: Client,
  room: Item,
  { template, columns }: LinkOptions,
): Promise<Item> {
  const more = [...template.fields, ...columns].flatMap((name) => roomLinkFields.get(name) ?? [])
  if (['name', 'type', 'status', ...more].every((field) => readField(views.room, field, room).known))
    return room
  return { ...room, ...(await readRecord(client, { kind: 'room', id: toText(room['id']) })), id: room['id'] }
}

const blockedHint = {
  hint: "--where 'status!=blocked' omits blocked members",
  lineEdit: { before: 'omit blocked members with: ', add: ['--where', 'status!=blocked'] },
}

export class LinkSummary {
  all = 0
  #missing = 0
  #firstMissing: LinkRow | undefined
  #blocked = 0
  readonly #people = new Set<string>()
  #holdsUserTokens = false

  add({ rows, holdsUserTokens }: RoomLinks): void {
    for (const row of rows) {
      this.all++
      if (row.link === null) {
        this.#missing++
        this.#firstMissing ??= row
        if (row.reason === blockedReason) this.#blocked++
      } else if (row.user_id !== null) this.#people.add(row.user_id)
    }
    this.#holdsUserTokens ||= holdsUserTokens
  }

  *notices(): Generator<string> {
    const { size } = this.#people
    if (size > 0)
      yield `the links give access as ${counted(size, 'user')}; keep the output private: anyone with a link has its user’s access`
    if (this.#holdsUserTokens)
      yield 'warning: a link contains the token of its user, which gives access to every room of that user'
  }

  get error(): PartialError | undefined {
    const row = this.#firstMissing
    if (!row) return undefined
    const whose = row.user_id === null ? `room ${toText(row.room_id)}` : row.user_id
    return this.all === 1
      ? new PartialError(`no link for ${whose}: ${row.reason}`)
      : new PartialError(
          `${this.#missing} of ${counted(this.all, 'link')} could not be created; the field reason explains why`,
          this.#blocked > 0 ? blockedHint : {},
        )
  }
}

function summarize(tally: Tally): string {
  const made = `read ${tally.tried - tally.bad} of ${counted(tally.total, 'room')}`
  return tally.describe([made], { skipped: 0 })
}
