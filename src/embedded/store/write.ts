/** A write that waits for its commit. */
export class Write {
  readonly afterCommit: (() => void)[] = []
  readonly onRollback: (() => void)[] = []
  resolve = () => {}
  reject: (cause: unknown) => void = () => {}

  committed(): void {
    try {
      for (const work of this.afterCommit) work()
      this.resolve()
    } catch (error) {
      this.reject(error)
    }
  }

  /** To be called when the transaction is rolled back, so that what is taken back can be read again. */
  rolledBack(): void {
    for (const work of this.onRollback.toReversed()) work()
  }
}
