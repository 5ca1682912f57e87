type EmbedEvent =
  | { event: 'loaded'; room_id: string }
  | { event: 'message'; message: string }
  | { event: 'terminated'; reason: string }

export function postToEmbedder(event: EmbedEvent): void {
  const origin = document.documentElement.dataset['embedOrigin']
  if (origin !== undefined && parent !== window) parent.postMessage(event, origin)
}
