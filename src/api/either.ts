export function formatChoices(choices: readonly string[]): string {
  return choices.join(', ').replace(/, ([^,]*)$/, ' or $1')
}
