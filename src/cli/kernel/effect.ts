/**
 * Effects of commands. `compares`: reads a service to write or compare a workspace file. `any`: depends on the
 * arguments. `stays`: runs until it is stopped. `machine`: uses no service.
 */
export type Effect = 'reads' | 'compares' | 'waits' | 'writes' | 'any' | 'stays' | 'joins' | 'machine'
