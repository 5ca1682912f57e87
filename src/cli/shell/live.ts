import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { type Endpoint, endpoints } from '../../api/endpoints.ts'
import { readResponseValue } from '../../api/json.ts'
import { localProfile } from '../../config/selection.ts'
import type { Settings } from '../../config/settings.ts'
import { replaceFile } from '../../files/draft.ts'
import { makeDirectory } from '../../files/make-directory.ts'
import { readText } from '../../files/read-file.ts'
import type { Host } from '../../host.ts'
import type { Context } from '../kernel/context.ts'
import { hasPrefix } from '../matching/reference.ts'
import { cellOf, type Item, selectView } from '../output/views/views.ts'
import { describeTarget, findDataDir } from '../requests/find-service.ts'
import type { Candidate, CandidateSource } from './candidates.ts'

const maxItems = 100
const timeoutSeconds = '0.3'

const maxNameLength = 200

type ListOperation = 'listRooms' | 'listUsers' | 'listMembers'

/** Creates a source of candidates that ignores all errors. */
export function createLookup(context: Context, flags: Readonly<Record<string, unknown>>): CandidateSource {
  const { profile, baseUrl } = flags
  const own = context.withFlags({
    ...(typeof profile === 'string' && { profile }),
    ...(typeof baseUrl === 'string' && { baseUrl }),
    ...(flags['local'] === true && { local: true }),
    header: true,
    color: false,
    audit: false,
    quiet: true,
    timeout: timeoutSeconds,
    retries: '0',
    output: 'json',
  })

  async function list(name: ListOperation, room?: string): Promise<readonly Candidate[]> {
    try {
      const settings = await own.settings()
      if (!(await canLookUp(own, settings))) return []
      const from = settings.local ? 'workspace' : settings.apiKey?.from
      const place = JSON.stringify([await describeTarget(own), settings.profile.value, from, name, room])
      const kept = await CompletionCache.of(context.host)
      return await kept.get(place, async () => toIdCandidates(own, name, await requestItems(name, room)))
    } catch {
      return []
    }
  }

  async function requestItems(name: ListOperation, room: string | undefined): Promise<readonly Item[]> {
    // Prevents the probe request that would follow a refused request.
    const probe = Promise.resolve({ isKeyValid: true, isService: true })
    const client = await own.client({ serviceFacts: { probe, probeAfterDenial: probe } })
    const query = { limit: maxItems }
    const response =
      name === 'listMembers'
        ? await client.call(name, { params: { room_id: room ?? '' }, query })
        : await client.call(name, { query })
    return (readResponseValue(response) as Record<string, readonly Item[]>)[endpoints[name].result] ?? []
  }

  return {
    rooms: () => list('listRooms'),
    users: () => list('listUsers'),
    // Requires an ID: a name needs another lookup, and only the shell evaluates `$` and backquotes.
    members: async (room) =>
      /^(-|$)|[$`]/.test(room) || hasPrefix('room', room) ? [] : list('listMembers', room),
    profiles: async () => {
      const stored = await own.storedConfig().catch(() => ({}))
      const { profiles = {} } = stored as { profiles?: Record<string, { base_url?: string }> }
      const known = Object.entries(profiles).map(([value, { base_url }]) => toCandidate(value, base_url))
      return [
        ...known.filter(({ value }) => value !== localProfile),
        toCandidate(localProfile, 'the local workspace'),
      ]
    },
  }
}

async function canLookUp(context: Context, settings: Settings): Promise<boolean> {
  const { protectedBy, readError, local, baseUrl, keyCommand } = settings
  if (protectedBy !== undefined || readError || keyCommand) return false
  if (local) {
    const { getDatabasePath } = await import('../../embedded/database-path.ts')
    const { isCurrent } = await import('../../embedded/store/migrate.ts')
    return isCurrent(getDatabasePath(await findDataDir(context.host)), context.host.quietly)
  }
  return baseUrl !== undefined
}

function toIdCandidates({ redact }: Context, name: ListOperation, found: readonly Item[]): Candidate[] {
  const view = selectView(endpoints[name] as Endpoint)
  // A service may ignore the limit.
  return found.slice(0, maxItems).flatMap((item) => {
    const id = item[view.id ?? 'id']
    // A leading hyphen would mean a flag, and a name prefix would mean a name.
    if (typeof id !== 'string' || id.startsWith('-') || hasPrefix('user', id) || redact(id) !== id) return []
    const label = view.label === undefined ? null : cellOf(view, view.label, item)
    return [toCandidate(id, typeof label === 'string' ? redact(label).slice(0, maxNameLength) : undefined)]
  })
}

const toCandidate = (value: string, words: string | undefined): Candidate =>
  words ? { value, words } : { value }

const responseLifetimeMs = 60_000
const failureLifetimeMs = 5000

interface Entry {
  /** Time of expiry, in milliseconds since 1970. */
  until: number
  candidates: readonly Candidate[]
}

class CompletionCache {
  readonly #file: string | undefined
  readonly #host: Host

  private constructor(file: string | undefined, host: Host) {
    this.#file = file
    this.#host = host
  }

  static async of(host: Host): Promise<CompletionCache> {
    const dirs = await host.dirs()
    return new CompletionCache(dirs && join(dirs.cache, 'completion.json'), host)
  }

  async get(name: string, ask: () => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
    const known = this.#read()[name]
    if (known) return known.candidates
    const now = this.#host.now()
    try {
      const candidates = await ask()
      this.#keep(name, { until: now + responseLifetimeMs, candidates })
      return candidates
    } catch {
      // Failures are cached, so that the next key press sends no request.
      this.#keep(name, { until: now + failureLifetimeMs, candidates: [] })
      return []
    }
  }

  #read(): Record<string, Entry> {
    if (this.#file === undefined) return {}
    try {
      const check = (found: Stats) => requirePrivate(found, this.#host)
      const entries = JSON.parse(readText(this.#file, { check })) as Record<string, Entry>
      const now = this.#host.now()
      const isFresh = ({ until }: Entry) => until > now && until <= now + responseLifetimeMs
      return Object.fromEntries(Object.entries(entries).filter(([, entry]) => isFresh(entry)))
    } catch {
      return {}
    }
  }

  #keep(name: string, entry: Entry): void {
    if (this.#file === undefined) return
    try {
      makeDirectory(join(this.#file, '..'))
      replaceFile(this.#file, JSON.stringify({ ...this.#read(), [name]: entry }), {
        isPrivate: true,
        sync: false,
      })
    } catch {
      // Completion works without a cache.
    }
  }
}

/** @throws {Error} if another user owns the file, or its mode gives other users any permission */
function requirePrivate({ uid, mode }: Stats, host: Host): void {
  if ((host.uid !== undefined && uid !== host.uid) || (mode & 0o077) !== 0) throw new Error('not private')
}
