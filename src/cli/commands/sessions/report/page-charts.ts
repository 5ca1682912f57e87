import type { Activity, ActivityPart } from '../../../attendance/activity.ts'
import { own, visible } from '../../../output/terminal/visible.ts'
import { type Html, markup } from './html.ts'

/** Width of a bar with its gap, and height of a chart, in SVG units. */
const [step, height] = [10, 100]

/** Formats the charts of a report: minutes per day, week or month, and minutes per hour of the day. */
export function formatCharts(activity: Activity): Html {
  if (activity.isEmpty) return markup``
  const { unit, parts } = activity.periods()
  const hours = activity.hours()
  const clock = ['00:00', '06:00', '12:00', '18:00', '24:00']
  const ends = parts.length > 1 ? [parts[0], parts.at(-1)] : parts
  return markup`${formatChart(
    `minutes-per-${unit}`,
    `Minutes per ${unit}`,
    parts,
    ends.flatMap((part) => part?.label ?? []),
  )}${formatChart('busiest-hours', 'Busiest hours', hours, clock)}`
}

/** @param axis labels below the chart, at equal distances */
function formatChart(
  id: string,
  heading: string,
  parts: readonly ActivityPart[],
  axis: readonly string[],
): Html {
  const most = parts.reduce((most, part) => (part.minutes > most.minutes ? part : most))
  const summary = visible(`Most: ${most.label}, ${most.minutes.toFixed(1)} minutes.`)
  const name = visible(heading)
  const bars = parts.map(({ label, minutes }, i) => {
    const size = most.minutes === 0 ? 0 : Math.round((minutes / most.minutes) * height * 10) / 10
    return markup`<rect class="bar" x="${i * step + 1}" y="${height - size}" width="${step - 2}" height="${size}"><title>${visible(`${label}: ${minutes.toFixed(1)} minutes`)}</title></rect>`
  })
  const rows = parts.map(
    ({ label, minutes }) =>
      markup`<tr><th scope="row">${visible(label)}</th><td class="number">${visible(minutes.toFixed(1))}</td></tr>
`,
  )
  return markup`<section class="charts" aria-labelledby="${visible(id)}">
<h2 id="${visible(id)}">${name}</h2>
<p>${summary} Minutes of each user in each room.</p>
<svg class="chart" viewBox="0 0 ${parts.length * step} ${height}" preserveAspectRatio="none" role="img" aria-label="${own`${name}. ${summary}`}">${bars}</svg>
<p class="axis">${axis.map((label) => markup`<span>${visible(label)}</span>`)}</p>
<details><summary>Numbers</summary><table>
<caption>${name}</caption>
<tbody>
${rows}</tbody>
</table></details>
</section>
`
}
