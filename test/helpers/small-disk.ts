import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'

/** Makes a folder a small disk of its own until the test is over; false where that takes more rights than we have. */
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

/** Writes until nothing more fits. */
export function fillDisk(file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(1024))
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  }
}
