import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../files/draft.ts'
import { makeDirectory } from '../../files/make-directory.ts'
import { readText } from '../../files/read-file.ts'
import type { Host } from '../../host.ts'
import type { Candidate } from './candidate.ts'

/** Lifetimes of cached responses and failures, in milliseconds. */
const responseLifetimeMs = 60_000
const failureLifetimeMs = 5000

interface Entry {
  /** Time of expiry, in milliseconds since 1970. */
  until: number
  candidates: readonly Candidate[]
}

/** Cache of responses in one private file. Without a usable file, nothing is cached. */
export class CompletionCache {
  readonly #file: string
  readonly #host: Host

  private constructor(file: string, host: Host) {
    this.#file = file
    this.#host = host
  }

  static async of(host: Host): Promise<CompletionCache> {
    return new CompletionCache(join((await host.dirs()).cache, 'completion.json'), host)
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

/** @throws an error when other users can read or write the cache */
function requirePrivate({ uid, mode }: Stats, host: Host): void {
  if ((host.uid !== undefined && uid !== host.uid) || (mode & 0o077) !== 0) throw new Error('not private')
}
