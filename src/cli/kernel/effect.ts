/**
 * What a command does besides printing: it `reads` from the service, also again and again until something holds (`waits`),
 * or `writes` to it, decides that by its arguments and by what it finds (`any`), `stays` until it is stopped, `joins` a
 * room until then, which is a change, or works on this `machine` only.
 */
export type Effect = 'reads' | 'waits' | 'writes' | 'any' | 'stays' | 'joins' | 'machine'
