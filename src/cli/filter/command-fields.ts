import type { Command } from 'commander'
import type { Resource } from '../../api/resource-types.ts'
import { resources } from '../../api/resources.ts'
import { views } from '../output/views/views.ts'

export function findResource(command: Command): Resource | undefined {
  const name = command.name()
  const group = ['report', 'usage'].includes(name) ? resources.room.plural : command.parent?.name()
  if (name === resources.delivery.plural) return resources.delivery
  return Object.values<Resource>(resources).find(({ plural }) => plural === group)
}

export const resourceView = (resource: Resource) => views[resource.name as keyof typeof views]
