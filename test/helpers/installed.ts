import { chmodSync, cpSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Copies the built package to a new directory that every user can read. */
export function copyPackage(to: string): void {
  mkdirSync(to)
  for (const name of ['bin', 'dist', 'package.json']) cpSync(name, join(to, name), { recursive: true })
  for (const name of ['', ...readdirSync(to, { recursive: true, encoding: 'utf8' })]) {
    const path = join(to, name)
    const { mode } = statSync(path)
    chmodSync(path, mode | 0o444 | (mode & 0o100 ? 0o111 : 0))
  }
}
