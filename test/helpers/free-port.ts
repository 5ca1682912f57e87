import { createServer } from 'node:net'
import { open } from './listen.ts'

/** Returns a port on which no program listens. */
export async function findFreePort(): Promise<number> {
  const { port, close } = await open(createServer())
  await close()
  return port
}
