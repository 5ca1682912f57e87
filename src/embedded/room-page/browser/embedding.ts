type EmbedEvent =
  | { event: 'loaded'; room_id: string }
  | { event: 'message'; message: string }
  | { event: 'terminated'; reason: string }

/** Posts an event to the embedding page. The service allows only one origin to embed this page. */
export function postToEmbedder(event: EmbedEvent): void {
  const origin = document.documentElement.dataset['embedOrigin']
  if (origin !== undefined && parent !== window) parent.postMessage(event, origin)
}
