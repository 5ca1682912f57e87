type EmbedEvent =
  | { event: 'loaded'; room_id: string }
  | { event: 'message'; message: string }
  | { event: 'terminated'; reason: string }

/** Tells the page that embeds this one. The service names the only origin that may, and that receives the events. */
export function tellEmbedder(event: EmbedEvent): void {
  const origin = document.documentElement.dataset['embedOrigin']
  if (origin !== undefined && parent !== window) parent.postMessage(event, origin)
}
