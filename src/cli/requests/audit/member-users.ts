import { isId, isRecord } from '../../../api/guards.ts'

const maxCached = 100_000

export class MemberUsers {
  readonly #users = new Map<string, string | number>()

  add(room_id: string, response: unknown): void {
    if (!isRecord(response)) return
    const { members, member } = response
    for (const entry of Array.isArray(members) ? members : [member]) {
      if (!isRecord(entry) || !isId(entry['id']) || !isId(entry['user_id'])) continue
      if (this.#users.size >= maxCached) this.#users.clear()
      this.#users.set(memberKey(room_id, entry['id']), entry['user_id'])
    }
  }

  userOf(room_id: unknown, member_id: unknown): string | number | undefined {
    return this.#users.get(memberKey(room_id, member_id))
  }
}

const memberKey = (room_id: unknown, member_id: unknown) => `${room_id}\0${member_id}`
