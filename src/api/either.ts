/** Formats choices, as in `open, public or private`. */
export function formatChoices(choices: readonly string[]): string {
  return choices.join(', ').replace(/, ([^,]*)$/, ' or $1')
}
