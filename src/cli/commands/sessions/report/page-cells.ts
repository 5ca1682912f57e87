import { toText } from '../../../../api/to-text.ts'
import type { Visible } from '../../../../host.ts'
import type { ReportRow } from '../../../attendance/rows.ts'
import { own, visible } from '../../../output/terminal/visible.ts'
import { type Html, markup } from './html.ts'

/** Column titles by field. */
export const titles: Readonly<Record<string, Visible>> = {
  ...{ day: own`Day`, week: own`Week`, month: own`Month`, room_name: own`Room`, name: own`Name` },
  ...{ user_id: own`User id`, role: own`Role`, first_in: own`First in`, last_out: own`Last out` },
  ...{ connections: own`Connections`, minutes: own`Minutes`, room_minutes: own`Room minutes` },
  ...{ share: own`Share`, present: own`Present`, participants: own`Participants`, rooms: own`Rooms` },
  ...{ days: own`Days`, meetings: own`Meetings`, missed: own`Missed` },
}

interface CellOptions {
  shown: (text: string) => Visible
  timeOf: (ms: number) => string
}

export function formatCell(
  field: string,
  { row, intervals, isRunning }: ReportRow,
  { shown, timeOf }: CellOptions,
): Html | Visible | number {
  const value = row[field]
  const time = (ms: number | undefined) =>
    ms === undefined
      ? own``
      : markup`<time datetime="${visible(new Date(ms).toISOString())}">${visible(timeOf(ms))}</time>`
  switch (field) {
    case 'name':
    case 'user_id':
      return markup`<bdi>${shown(toText(value))}</bdi>`
    case 'room_name':
      return markup`<bdi>${shown(toText(value) || toText(row['room_id']))}</bdi>`
    case 'first_in':
      return time(intervals[0]?.[0])
    case 'last_out':
      return isRunning ? own`still in` : value === null ? own`` : time(intervals.at(-1)?.[1])
    case 'minutes':
    case 'room_minutes':
      return visible(Number(value).toFixed(1))
    case 'share':
      return typeof value === 'number' ? visible(`${Math.round(value * 100)} %`) : own``
    case 'present':
      return value === true ? own`yes` : own`no`
    default:
      return shown(toText(value))
  }
}
