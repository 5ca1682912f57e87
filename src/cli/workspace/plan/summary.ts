import { counted } from '../../../api/plural.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import type { Kind } from '../../records/records.ts'
import { isUnresolved, type Plan, type PlanAction, type PlanItem, type WriteAction } from './plan.ts'

type PlanSummary = Printed['workspace diff']['summary']

export function summarizePlan({ items, declared }: Plan): PlanSummary {
  const count = (matches: (item: PlanItem) => boolean) => items.filter(matches).length
  const ofKind = (kind: Kind) => {
    const number = (action: WriteAction) => count((item) => item.kind === kind && item.action === action)
    const [create, change, remove] = [number('create'), number('change'), number('remove')]
    return { create, change, remove, declared: declared[kind] }
  }
  const ofAction = (action: PlanAction) => count((item) => item.action === action)
  return {
    ...{ users: ofKind('user'), rooms: ofKind('room'), members: ofKind('member') },
    ...{ unresolved: count(isUnresolved), cannot: ofAction('cannot') },
    ...{ not_shown: ofAction('not_shown'), not_in_file: ofAction('not_in_file') },
  }
}

export interface ComparedSides {
  holds: string
  onlyThere: string
  rest: string
}

const fileAndService: ComparedSides = {
  holds: 'the file declares',
  onlyThere: 'not in the file',
  rest: 'nothing is planned for: ',
}

export function describeSummary(
  plan: Plan,
  { holds, onlyThere, rest: beforeRest }: ComparedSides = fileAndService,
): string[] {
  const summary = summarizePlan(plan)
  const { unresolved, cannot, not_shown, not_in_file } = summary
  const undeclared = (['user', 'room', 'member'] as const).flatMap((kind) => {
    const count = plan.items.filter((item) => item.kind === kind && item.action === 'not_in_file').length
    return count > 0 ? [counted(count, kind)] : []
  })
  const rest = [
    [unresolved, 'unresolved'],
    [cannot, 'impossible with the API'],
    [not_shown, 'not shown by the service'],
    [not_in_file, `${onlyThere} (${undeclared.join(', ')})`],
  ] as const
  const others = rest.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))
  const lines = (['users', 'rooms', 'members'] as const).flatMap((kind) =>
    describeKind(kind, summary[kind], holds),
  )
  const all = [...lines, ...(others.length > 0 ? [beforeRest + others.join(', ')] : [])]
  return all.length > 0 ? all : ['nothing to change']
}

function describeKind(
  kind: string,
  { create, change, remove, declared }: PlanSummary['users'],
  holds: string,
): string[] {
  if (create + change + remove === 0) return []
  const parts = [
    [create, 'to create'],
    [change, 'to change'],
    [remove, 'to remove'],
  ] as const
  const shares = parts.flatMap(([count, what]) =>
    count > 0 ? [`${count} ${what}${what === 'to remove' ? '' : formatShare(count, declared)}`] : [],
  )
  return [`${kind}: ${shares.join(', ')}; ${holds} ${declared}`]
}

function formatShare(count: number, declared: number): string {
  if (declared === 0) return ''
  const percent = (100 * count) / declared
  return ` (${percent < 1 ? '<1' : Math.round(percent)} %)`
}

export function describeWrites({ users, rooms, members }: PlanSummary): string {
  const kinds = [
    ['user', users],
    ['room', rooms],
    ['member', members],
  ] as const
  const parts = kinds.flatMap(([noun, { create, change, remove }]) => [
    ...(create > 0 ? [`create ${counted(create, noun)}`] : []),
    ...(change > 0 ? [`change ${counted(change, noun)}`] : []),
    ...(remove > 0 ? [`${noun === 'member' ? 'BLOCK' : 'DELETE'} ${counted(remove, noun)}`] : []),
  ])
  return parts.join(', ')
}
