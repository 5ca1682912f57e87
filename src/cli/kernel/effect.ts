/**
 * Effects of commands. `compares`: reads one service for a file. `any`: depends on the arguments. `stays`: runs until
 * stopped. `machine`: uses no service.
 */
export type Effect = 'reads' | 'compares' | 'waits' | 'writes' | 'any' | 'stays' | 'joins' | 'machine'
