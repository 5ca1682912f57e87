import type { Host } from '../../host.ts'

/** The terminal on which questions are context. */
export interface PromptContext {
  host: Host
  interrupt: AbortSignal
}
