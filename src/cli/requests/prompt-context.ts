import type { Host } from '../../host.ts'

export interface PromptContext {
  host: Host
  interrupt: AbortSignal
}
