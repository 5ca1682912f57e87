import type { Settings } from '../../config/settings.ts'
import { TimeZone } from './time-zone.ts'

interface SettingsSource {
  settings(): Promise<Pick<Settings, 'timeZone'>>
}

/** @throws {UsageError} for invalid settings */
export async function readTimeZone(context: SettingsSource): Promise<TimeZone> {
  return new TimeZone((await context.settings()).timeZone?.value)
}
