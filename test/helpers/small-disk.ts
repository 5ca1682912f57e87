import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'

/**
 * Mounts a tmpfs, of 1 MiB by default, until the end of the test. Returns false if the mount fails.
 * @param options mount options, such as `ro`
 */
export function mountDisk(dir: string, ...options: string[]): boolean {
  mkdirSync(dir, { recursive: true })
  const made = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    ['size=1m', 'mode=700', ...options].join(','),
    'tmpfs',
    dir,
  ])
  if (made.status !== 0) return false
  onTestFinished(() => void spawnSync('umount', ['--lazy', dir]))
  return true
}

/** Fills the disk of a file by growing the file. */
export function fillDisk(file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(1024))
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  }
}
