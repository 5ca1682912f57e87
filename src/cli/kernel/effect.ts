/** Effects of commands. `any`: depends on the arguments. `stays`: runs until stopped. `machine`: uses no service. */
export type Effect = 'reads' | 'waits' | 'writes' | 'any' | 'stays' | 'joins' | 'machine'
