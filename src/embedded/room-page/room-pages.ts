import type { WireRequest } from '../../api/wire.ts'
import { parseUrl } from '../common/requests.ts'
import type { TextResponse } from '../service/response.ts'
import type { Service } from '../service/service.ts'

/** Adds the room pages to a service. Their files load on first use. */
export function withRoomPages(service: Service, embedOrigin: string | undefined): Service {
  const answer: Service = async (request) => (await answerRoomPage(request, embedOrigin)) ?? service(request)
  // Almost all requests are for the API, so they skip the asynchronous function.
  return (request) => (request.url.startsWith('/v1/') ? service(request) : answer(request))
}

async function answerRoomPage(
  { method, url }: WireRequest,
  embedOrigin: string | undefined,
): Promise<TextResponse | undefined> {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const { pathname } = parseUrl(url)
  if (!/^\/(rooms|room-page)\/[^/]+$/.test(pathname)) return undefined
  const { createFiles } = await import('./files.ts')
  const files = createFiles(embedOrigin)
  return pathname.startsWith('/rooms/') ? files.page : files.assets.get(pathname)
}
