import { createServer } from 'node:http'
import { join } from 'node:path'
import { runBuilt, runShell } from './built.ts'
import type { Finished } from './command.ts'
import { listen } from './listen.ts'
import { runHere } from './run-here.ts'
import { type Running, startBuilt } from './serving.ts'
import { baseUrl, type World } from './world.ts'

/** Serves a world on a real socket. An interception that throws resets the connection. */
export async function frontOf(world: World) {
  const server = createServer(async (request, response) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    try {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const answer = await world.transport(
        {
          method: request.method ?? '',
          url: new URL(request.url ?? '', baseUrl).href,
          headers: request.headers as Record<string, string>,
          body: body === '' ? undefined : body,
        },
        gone.signal,
      )
      response.writeHead(answer.status, answer.headers).end(answer.body)
    } catch {
      request.socket.resetAndDestroy()
    }
  })
  const port = await listen(server)
  const env = {
    HOME: world.dir,
    MEETROOM_CONFIG_DIR: world.configDir,
    MEETROOM_DATA_DIR: join(world.dir, 'data'),
    MEETROOM_API_KEY: world.apiKey,
    MEETROOM_BASE_URL: `http://127.0.0.1:${port}/v1`,
  }
  const cwd = world.dir
  const words = (argv: readonly string[] | string) => (typeof argv === 'string' ? argv.split(' ') : argv)
  return {
    env,
    run: (argv: readonly string[] | string): Promise<Finished> =>
      runBuilt(words(argv), env, undefined, { cwd }),
    /** Runs a command line in this process, with the real network. */
    here: (argv: readonly string[] | string, stdin?: string): Promise<Finished> =>
      runHere(words(argv), { env, cwd, ...(stdin !== undefined && { stdin }) }),
    shell: (script: string): Promise<Finished> => runShell(script, env, { cwd }),
    start: (argv: readonly string[] | string): Running => startBuilt(words(argv), env, cwd),
  }
}
