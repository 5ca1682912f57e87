import { lstatSync, type Stats, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { counted } from '../../../api/plural.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import { type Hint, suggest } from '../../../errors.ts'
import { toReadError } from '../../../files/file-errors.ts'
import type { Host } from '../../../host.ts'
import type { Context } from '../../kernel/context.ts'
import { describeSize } from '../../output/terminal/size.ts'
import { findDataDir, findOptionalDataDir } from '../../requests/find-service.ts'
import { type CheckResult, describeFailure, type Finding, runCheck } from './finding.ts'
import { checkService } from './service.ts'

/** Minimum free space for SQLite and the log of a long import, in bytes. */
const minFreeBytes = 64 * 1024 * 1024

/** Checks the local workspace without creating it. */
export async function* checkLocal(context: Context): AsyncGenerator<Finding> {
  const { host } = context
  const dir = await findOptionalDataDir(host)
  if (dir === undefined) {
    yield runCheck(context, 'directory', () => findDataDir(host))
    return
  }
  const { getDatabasePath } = await import('../../../embedded/database-path.ts')
  const database = getDatabasePath(dir)
  let found: Stats | undefined
  try {
    found = lstatSync(database, { throwIfNoEntry: false })
  } catch (error) {
    const hint = 'move the file away, or choose another directory with MEETROOM_DATA_DIR'
    yield runCheck(context, 'directory', () => {
      throw toReadError(dir, error, { hint })
    })
    return
  }
  if (!found) {
    yield runCheck(context, 'workspace', () => `none in ${dir} yet; the first command creates it`)
    return
  }
  const { listSavedCopies, suggestRestore, sumBytes } = await import(
    '../../../embedded/store/saved-copies.ts'
  )
  const copies = listSavedCopies(dir)
  const restore = suggestRestore(dir, copies)
  const findings = [
    await runCheck(context, 'directory', () => checkMode(dir, 0o022, host, 'can write to')),
    await runCheck(context, 'key', () => checkKeyFile(dir, host)),
    await runCheck(context, 'database', async () => {
      const result = checkMode(database, 0o077, host, 'have access to')
      if (typeof result !== 'string') return result
      const { checkDatabase } = await import('../../../embedded/backups/check-database.ts')
      const { describeFailure: describeStorageFailure } = await import('../../../embedded/common/faults.ts')
      try {
        await checkDatabase(dir, found.size, host.quietly)
      } catch (error) {
        const problem = describeStorageFailure(error)
        return problem === undefined ? describeFailure(error, restore) : { problem, hint: restore }
      }
      return `${result}, ${describeSize(found.size)}`
    }),
    await runCheck(context, 'space', () => checkSpace(dir, found.size, copies.length > 0)),
    await runCheck(context, 'backups', () => {
      const bytes = sumBytes(copies)
      const tidy: Hint = ['delete old ones with: ', suggest(['local', 'tidy', '--data-dir', dir])]
      const details = `${counted(copies.length, 'saved copy', 'saved copies')}, ${describeSize(bytes)}`
      return copies.length > 0 ? { details, hint: tidy } : details
    }),
  ]
  yield* findings
  // Sends a request only after all checks passed, because a request would create a missing key.
  if (findings.every(({ status }) => status === 'ok'))
    yield* (await checkService(context)).filter(({ check }) => check === 'workspace')
}

/** @param bits permissions that other users must not have */
function checkMode(path: string, bits: number, { uid, platform }: Host, verb: string): CheckResult {
  const { mode, uid: owner } = lstatSync(path)
  // File modes have no meaning on Windows.
  if (platform === 'win32' || uid === undefined) return path
  if (owner !== uid)
    return {
      problem: `${path} belongs to another account of this machine (uid ${owner})`,
      hint: `run: sudo chown ${uid} ${quoteForShell(path)}`,
    }
  const text = (mode & 0o777).toString(8).padStart(4, '0')
  if ((mode & bits) === 0) return `${path} (mode ${text})`
  const wanted = bits === 0o022 ? 'go-w' : 'go='
  return {
    problem: `other accounts of this machine ${verb} ${path} (mode ${text})`,
    hint: `run: chmod ${wanted} ${quoteForShell(path)}`,
  }
}

async function checkKeyFile(dir: string, host: Host): Promise<CheckResult> {
  const path = join(dir, 'api-key')
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found)
    return {
      problem: `${path} does not exist`,
      hint: ['create the key with: ', suggest(['rooms', 'list', '--local'])],
    }
  if (!found.isFile())
    return {
      problem: `${path} is not a regular file`,
      hint: `run: mv ${quoteForShell(path)} ${quoteForShell(`${path}.old`)}`,
    }
  if (found.size === 0)
    return {
      problem: `${path} is empty`,
      hint: ['create a new key with: ', suggest(['rooms', 'list', '--local'])],
    }
  const mode = checkMode(path, 0o077, host, 'have access to')
  if (typeof mode !== 'string') return mode
  const { readKeyFile } = await import('../../../embedded/key-file.ts')
  if (readKeyFile(path, dir, host.effectiveUid)) return mode
  return {
    problem: `${path} contains no API key`,
    hint: `run: mv ${quoteForShell(path)} ${quoteForShell(`${path}.old`)}`,
  }
}

/** Checks the free space, because a restore, a reset and an upgrade first copy the database. */
function checkSpace(dir: string, databaseBytes: number, hasCopies: boolean): CheckResult {
  const { bavail, bsize } = statfsSync(dir)
  const free = bavail * bsize
  const details = `${describeSize(free)} free`
  if (free >= Math.max(minFreeBytes, 2 * databaseBytes)) return details
  return {
    problem: `only ${details} on the disk of ${dir}`,
    hint: hasCopies
      ? ['delete old copies with: ', suggest(['local', 'tidy', '--data-dir', dir])]
      : `run: df -h ${quoteForShell(dir)}`,
  }
}
