import { byId, create, setText } from './elements.ts'
import type { Page } from './frames.ts'

export class PageViewer {
  #pages: readonly Page[] = []
  #current = 0

  constructor() {
    byId('previous').onclick = () => this.#show(this.#current - 1)
    byId('next').onclick = () => this.#show(this.#current + 1)
    byId('pages').onkeydown = ({ key, target }) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -1, PageDown: 1 }[key]
      if (step !== undefined && target instanceof HTMLElement) this.#show(this.#current + step)
    }
  }

  set(pages: readonly Page[]): void {
    const shown = this.#pages[this.#current]?.id
    this.#pages = pages
    byId('pages').hidden = pages.length === 0
    byId('room').classList.toggle('with-pages', pages.length > 0)
    const kept = pages.findIndex(({ id }) => id === shown)
    if (kept < 0) this.#show(0)
    else this.#turnTo(kept)
  }

  #show(index: number): void {
    const page = this.#pages[index]
    if (!page) return
    this.#turnTo(index)
    byId('page').replaceChildren(
      ...page.images.map((src, i) => createImage(src, page, imageLabel(index, i, page.images.length))),
      ...(page.images.length === 0 ? [create('p', { text: 'This page has no image.' })] : []),
    )
  }

  #turnTo(index: number): void {
    this.#current = index
    const { length } = this.#pages
    setText(byId('page-number'), `Page ${index + 1} of ${length}`)
    const [previous, next] = [byId('previous'), byId('next')] as HTMLButtonElement[]
    if (previous) previous.disabled = index === 0
    if (next) next.disabled = index === length - 1
  }
}

function imageLabel(page: number, image: number, images: number): string {
  return images > 1 ? `Page ${page + 1}, image ${image + 1} of ${images}` : `Page ${page + 1}`
}

function createImage(src: string, { size, images }: Page, label: string): HTMLElement {
  const image = document.createElement('img')
  image.alt = label
  image.referrerPolicy = 'no-referrer'
  // A known size prevents layout shifts while the image loads.
  if (size && images.length === 1) {
    image.width = size.width
    image.height = size.height
  }
  image.onerror = () => image.replaceWith(create('p', { text: `${label} cannot be shown: ${src}` }))
  image.src = src
  return image
}
