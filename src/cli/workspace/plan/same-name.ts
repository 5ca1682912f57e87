import { listNames } from '../../../api/plural.ts'

const maxListed = 10

interface SameName {
  /** IDs of the rooms that belong to no other key of the file. A single candidate can be adopted. */
  candidates: readonly string[]
  /** Reason why no room can be adopted; undefined for a single candidate. */
  refusal: string | undefined
}

/**
 * Decides which room of a name can be adopted.
 * @param ids IDs of the rooms with the name, at least one
 * @param ownerOf returns the key of the file to which a room belongs
 */
export function findAdoptable(ids: readonly string[], ownerOf: (id: string) => string | undefined): SameName {
  const candidates = ids.filter((id) => ownerOf(id) === undefined)
  if (candidates.length === 1) return { candidates, refusal: undefined }
  const refusal =
    candidates.length === 0
      ? `the room belongs to the key “${ownerOf(ids[0] ?? '')}”`
      : `${candidates.length} rooms have this name: ${listNames(candidates, maxListed)}`
  return { candidates, refusal }
}
