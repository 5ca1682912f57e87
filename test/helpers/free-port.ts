import { createServer } from 'node:net'
import { open } from './listen.ts'

export async function findFreePort(): Promise<number> {
  const { port, close } = await open(createServer())
  await close()
  return port
}
