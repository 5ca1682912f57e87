interface Caller {
  resolve(): void
  reject(error: unknown): void
}

/** Groups appended text: text that arrives during a write shares the next write. */
export class AppendLog {
  readonly #write: (text: string) => Promise<void>
  #text = ''
  #callers: Caller[] = []
  #writing: Promise<void> | undefined

  /** @param write writes text and syncs it to disk; called for one group at a time */
  constructor(write: (text: string) => Promise<void>) {
    this.#write = write
  }

  append(text: string): void {
    this.#text += text
  }

  /** Adds text to the next write and starts it; resolves when it is on disk. */
  appendSynced(text = ''): Promise<void> {
    this.append(text)
    const synced = new Promise<void>((resolve, reject) => {
      this.#callers.push({ resolve, reject })
    })
    this.#writing ??= this.#writeGroups()
    return synced
  }

  /** Resolves when no write is pending. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async #writeGroups(): Promise<void> {
    // Collects the text of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#callers.length > 0) {
      const [text, callers] = [this.#text, this.#callers]
      this.#text = ''
      this.#callers = []
      try {
        await this.#write(text)
        for (const { resolve } of callers) resolve()
      } catch (error) {
        for (const { reject } of callers) reject(error)
      }
    }
    // Reset before any callback runs, which may append more text.
    this.#writing = undefined
  }
}
