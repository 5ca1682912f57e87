/** Effect of a command. `any` depends on arguments, `stays` runs until stopped, `machine` uses no service. */
export type Effect = 'reads' | 'waits' | 'writes' | 'any' | 'stays' | 'joins' | 'machine'
