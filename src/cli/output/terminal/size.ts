export function describeSize(bytes: number): string {
  const units = ['KB', 'MB', 'GB', 'TB']
  let amount = bytes / 1024
  let unit = 0
  for (; amount >= 1024 && unit < units.length - 1; unit++) amount /= 1024
  return `${unit === 0 ? Math.ceil(amount) : Math.round(amount)} ${units[unit]}`
}
