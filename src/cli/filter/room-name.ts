import { toText } from '../../api/to-text.ts'
import type { Item } from '../output/views/views.ts'

/** Returns true if a room has exactly this name. Some services send a name of digits as a number. */
export function isNamed(room: Item, name: unknown): boolean {
  return toText(room['name']) === toText(name)
}
