import { isUrl } from '../../api/is-url.ts'

/** Completes a host, or a port of this machine, to a URL; undefined for other text. */
export function findNearUrl(text: string): string | undefined {
  if (/^:?\d{2,5}$/.test(text)) return `http://localhost:${text.replace(':', '')}`
  if (/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/i.test(text)) return `http://${text}`
  const isHost = /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z]{2,}(:\d+)?(\/[^@]*)?$/i.test(text)
  const isFile = /^[^/]*\.(png|jpe?g|gif|svg|webp|json|ya?ml|csv|txt|html?)$/i.test(text)
  return isHost && !isFile && isUrl(`https://${text}`) ? `https://${text}` : undefined
}
