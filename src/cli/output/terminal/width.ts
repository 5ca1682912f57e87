import stringWidth from 'string-width'
import type { Visible } from '../../../host.ts'
import { markVisible } from './visible.ts'

/** Returns the width in columns. */
export const measureText = (text: string): number => stringWidth(text)

export function padText(text: Visible, columns: number): Visible {
  return markVisible(text + ' '.repeat(Math.max(0, columns - measureText(text))))
}
