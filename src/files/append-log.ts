/** Log with group commits: text that arrives during a write is written by the next write. */
export class AppendLog {
  readonly #write: (text: string) => Promise<void>
  #text = ''
  #callers: { resolve(): void; reject(error: unknown): void }[] = []
  #writing: Promise<void> | undefined

  /** @param write writes text and syncs it to disk; never called concurrently */
  constructor(write: (text: string) => Promise<void>) {
    this.#write = write
  }

  append(text: string): void {
    this.#text += text
  }

  /** Adds text to the next write, and resolves when the text is on disk. */
  appendSynced(text = ''): Promise<void> {
    this.append(text)
    const synced = new Promise<void>((resolve, reject) => {
      this.#callers.push({ resolve, reject })
    })
    this.#writing ??= this.#writeGroups()
    return synced
  }

  async settled(): Promise<void> {
    await this.#writing
  }

  async #writeGroups(): Promise<void> {
    // Waits for text that is appended in the same turn of the event loop.
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
    // Reset before the callers resume, because callers may append more text.
    this.#writing = undefined
  }
}
