import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Reads the texts of an npm tarball by path. Paths must have at most 100 bytes. */
export function readTarball(path: string): Map<string, string> {
  const bytes = gunzipSync(readFileSync(path))
  const files = new Map<string, string>()
  const field = (at: number, length: number) => bytes.toString('utf8', at, at + length).replace(/\0.*$/s, '')
  for (let at = 0; bytes[at] !== 0; ) {
    const size = Number.parseInt(field(at + 124, 12), 8)
    files.set(field(at, 100), bytes.toString('utf8', at + 512, at + 512 + size))
    at += 512 + Math.ceil(size / 512) * 512
  }
  return files
}
