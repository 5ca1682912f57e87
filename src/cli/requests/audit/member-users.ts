import { isId, isRecord } from '../../../api/guards.ts'

/** Number of members whose users are remembered: those of a run over many rooms must not fill the memory. */
const mostRemembered = 100_000

/** The user behind each member that the service has shown in this run. */
export class MemberUsers {
  readonly #users = new Map<string, string | number>()

  /** Takes note of the members in an answer of the service. */
  note(room_id: string, answer: unknown): void {
    if (!isRecord(answer)) return
    const { members, member } = answer
    for (const one of Array.isArray(members) ? members : [member]) {
      if (!isRecord(one) || !isId(one['id']) || !isId(one['user_id'])) continue
      if (this.#users.size >= mostRemembered) this.#users.clear()
      this.#users.set(keyOf(room_id, one['id']), one['user_id'])
    }
  }

  /** The user of a member, where the service has shown it. */
  userOf(room_id: unknown, member_id: unknown): string | number | undefined {
    return this.#users.get(keyOf(room_id, member_id))
  }
}

/** No ID holds a NUL. */
const keyOf = (room_id: unknown, member_id: unknown) => `${room_id}\0${member_id}`
