type Env = Readonly<Record<string, string | undefined>>

const urlVariables = [
  'CI_JOB_URL',
  'CIRCLE_BUILD_URL',
  'BUILDKITE_BUILD_URL',
  'TRAVIS_BUILD_WEB_URL',
  'CI_PIPELINE_URL',
  'BUILD_URL',
]

/** Reads the URL of the CI run from the environment; undefined outside CI. */
export function readCiRun(env: Env): string | undefined {
  const { GITHUB_RUN_ID: run, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env
  if (run) return server && repository ? `${server}/${repository}/actions/runs/${run}` : `GitHub run ${run}`
  const url = urlVariables.map((name) => env[name]).find(Boolean)
  // Some CI services include credentials in the URL.
  return url?.replace(/\/\/[^/]*@/, '//')
}
