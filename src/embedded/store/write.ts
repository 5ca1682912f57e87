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

  /** Call after the transaction is rolled back, so that the restored data can be read. */
  rolledBack(): void {
    for (const work of this.onRollback.toReversed()) work()
  }
}
