type Env = Readonly<Record<string, string | undefined>>

/** What CI services call the address of a run. */
const urls = [
  'CI_JOB_URL',
  'CIRCLE_BUILD_URL',
  'BUILDKITE_BUILD_URL',
  'TRAVIS_BUILD_WEB_URL',
  'CI_PIPELINE_URL',
  'BUILD_URL',
]

/** Where to find the run of a CI service that the program is a part of; undefined when it is none. */
export function ciRun(env: Env): string | undefined {
  const { GITHUB_RUN_ID: run, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env
  if (run) return server && repository ? `${server}/${repository}/actions/runs/${run}` : `GitHub run ${run}`
  const url = urls.map((name) => env[name]).find(Boolean)
  // Some put a password into it.
  return url?.replace(/\/\/[^/]*@/, '//')
}
