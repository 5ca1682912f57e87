// Prints known vulnerabilities of the bundled packages; `npm audit --omit=dev` omits these development
// dependencies.
// Run with: npm run audit
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { components } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8'))
const bundled = new Set(
  components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`),
)

const { stdout, stderr } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' })
const { vulnerabilities, message, error } = parsed(stdout)
if (!vulnerabilities) {
  console.error(`npm audit: ${message ?? error?.summary ?? stderr.trim()}`)
  process.exit(2)
}

/** Includes the version, because one name may be installed in several versions. */
const installedAt = (folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  return `${name}@${version}`
}
const found = Object.values(vulnerabilities).flatMap(({ nodes, via, severity }) =>
  nodes
    .map(installedAt)
    .filter((id) => bundled.has(id))
    .map((id) => ({
      id,
      severity,
      why: via.flatMap(({ title, url }) => (title ? [`${title} (${url})`] : [])),
    })),
)
for (const { id, severity, why } of found) console.log(`${id}: ${severity}: ${why.join('; ')}`)
console.log(`${bundled.size} bundled packages, ${found.length} with known vulnerabilities`)
process.exitCode = found.length > 0 ? 1 : 0

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
