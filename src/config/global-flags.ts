export interface GlobalFlags {
  output?: string
  json?: boolean
  columns?: string
  query?: string
  showTokens?: boolean
  header: boolean
  /** CSV separator of the files of an import, otherwise of the output. */
  delimiter?: string
  bom?: boolean
  profile?: string
  allProfiles?: boolean
  allowIncomplete?: boolean
  local?: boolean
  baseUrl?: string
  timeout?: string
  timeZone?: string
  retries?: string
  dryRun?: boolean
  curl?: boolean
  yes?: boolean
  allowWrite?: boolean
  audit: boolean
  quiet?: boolean
  verbose?: boolean
  color: boolean
  ascii?: boolean
  /** File for records of deleted items; false with `--no-save`. */
  save?: string | false
}
