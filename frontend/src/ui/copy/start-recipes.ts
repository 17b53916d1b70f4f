import type { StartExecutionRequest, VariableValue } from '../../api/types';
import { shellWord, withoutExpressions, withoutVariables, yamlLines, yamlText } from './quoting';

/** Start of a run in the format of another tool. */
export interface Recipe {
  key: 'curl' | 'cli' | 'github' | 'gitlab' | 'typescript';
  label: string;
  text: string;
}

/** Request to start a run, with the names of plan and environment. */
export interface NamedStart {
  origin: string;
  plan: string;
  /** Null = the environment of the plan. */
  environment: string | null;
  request: StartExecutionRequest;
  /** Names of secret variables. Their values are never copied: a shell variable of the same name replaces each. */
  secrets: readonly string[];
}

/** Placeholder for the reader's copy of the Runward repository. */
const GITHUB_ACTION = 'your-org/runward/integrations/github-action@main';
const GITLAB_TEMPLATE = 'integrations/gitlab/runward.gitlab-ci.yml';

/** Downloads the command line of the instance. The variable is its address. */
export const DOWNLOAD_COMMAND_LINE = 'curl -fsSO "$RUNWARD_URL/api/cli/runward.mjs"';

/** Returns the start in each format. Variables replace the token and secrets. */
export const startRecipes = (start: NamedStart): Recipe[] => [
  { key: 'curl', label: 'curl', text: toCurl(start) },
  { key: 'cli', label: 'Command line', text: toCommandLine(start) },
  { key: 'github', label: 'GitHub Action', text: toGitHubStep(start) },
  { key: 'gitlab', label: 'GitLab job', text: toGitLabJob(start) },
];

function toCurl({ origin, request, secrets }: NamedStart): string {
  const { given, secret } = parted(request, secrets);
  const body = { ...request, ...(given.length > 0 ? { variables: Object.fromEntries(given) } : {}) };
  if (given.length === 0) delete body.variables;
  const data =
    secret.length === 0
      ? `-d ${shellWord(JSON.stringify(body))}`
      : `--data "$(jq -n ${secret.map((name) => `--arg ${name} "$${name}"`).join(' ')} ${shellWord(
          `${JSON.stringify(body)} | .variables += {${secret.map((name) => `$${name}`).join(', ')}}`,
        )})"`;
  return [
    `curl -fsS -X POST ${shellWord(`${origin}/api/executions`)}`,
    '-H "Authorization: Bearer $RUNWARD_TOKEN"',
    '-H "Content-Type: application/json"',
    data,
  ].join(' \\\n  ');
}

function toCommandLine({ origin, plan, environment, request, secrets }: NamedStart): string {
  const { given, secret } = parted(request, secrets);
  const words = [
    ...(environment === null ? [] : [`--env ${shellWord(environment)}`]),
    ...(request.execution_mode === 'auto' ? [] : [`--mode ${request.execution_mode}`]),
    ...given.map(([name, value]) => `--var ${shellWord(`${name}=${textOf(value)}`)}`),
    ...(secret.length > 0 ? ['--var-file -'] : []),
    ...(request.targets ? [`--targets ${shellWord(request.targets)}`] : []),
    ...(request.expectedDigest ? [`--expect ${request.expectedDigest}`] : []),
    ...(request.note ? [`--note ${shellWord(request.note)}`] : []),
    ...(request.freezeOverride ? [`--freeze-override ${shellWord(request.freezeOverride)}`] : []),
    '--follow',
    `-- ${shellWord(plan)}`,
  ];
  // Other users of the machine can read arguments, so secrets are passed through standard input.
  const piped = secret.length > 0 ? `printf '%s\\n' ${secret.map((name) => `"${name}=$${name}"`).join(' ')} | ` : '';
  return [
    `export RUNWARD_URL=${shellWord(origin)}`,
    DOWNLOAD_COMMAND_LINE,
    [`${piped}node runward.mjs run start`, ...words].join(' \\\n  '),
  ].join('\n');
}

function toGitHubStep({ origin, plan, environment, request, secrets }: NamedStart): string {
  const text = (value: string) => yamlText(withoutExpressions(value));
  const { lines } = variableLines(request, secrets, withoutExpressions, (name) => `\${{ secrets.${name} }}`);
  return [
    `- uses: ${GITHUB_ACTION}`,
    '  with:',
    `    url: ${text(origin)}`,
    '    token: ${{ secrets.RUNWARD_TOKEN }}',
    `    plan: ${text(plan)}`,
    ...(environment === null ? [] : [`    environment: ${text(environment)}`]),
    ...(request.execution_mode === 'auto' ? [] : [`    mode: ${request.execution_mode}`]),
    ...(lines.length > 0 ? [`    variables: ${yamlLines(lines, 4)}`] : []),
    ...(request.targets ? [`    targets: ${text(request.targets)}`] : []),
    ...(request.expectedDigest ? [`    expect: ${yamlText(request.expectedDigest)}`] : []),
    ...(request.note ? [`    note: ${text(request.note)}`] : []),
  ].join('\n');
}

function toGitLabJob({ origin, plan, environment, request, secrets }: NamedStart): string {
  const text = (value: string) => yamlText(withoutVariables(value));
  const { lines } = variableLines(request, secrets, withoutVariables, (name) => `$${name}`);
  return [
    'include:',
    '  - project: your-group/runward',
    `    file: ${GITLAB_TEMPLATE}`,
    '',
    '# RUNWARD_TOKEN is a masked CI/CD variable of the project.',
    'deploy:',
    '  extends: .runward',
    '  variables:',
    `    RUNWARD_URL: ${text(origin)}`,
    `    RUNWARD_PLAN: ${text(plan)}`,
    ...(environment === null ? [] : [`    RUNWARD_ENVIRONMENT: ${text(environment)}`]),
    ...(request.execution_mode === 'auto' ? [] : [`    RUNWARD_MODE: ${request.execution_mode}`]),
    ...(lines.length > 0 ? [`    RUNWARD_VARIABLES: ${yamlLines(lines, 4)}`] : []),
    ...(request.targets ? [`    RUNWARD_TARGETS: ${text(request.targets)}`] : []),
    ...(request.expectedDigest ? [`    RUNWARD_EXPECT: ${yamlText(request.expectedDigest)}`] : []),
    ...(request.note ? [`    RUNWARD_NOTE: ${text(request.note)}`] : []),
  ].join('\n');
}

/** Separates the values of ordinary variables from the names of secret ones. */
function parted({ variables }: StartExecutionRequest, secrets: readonly string[]) {
  const all = Object.entries(variables ?? {});
  return {
    given: all.filter(([name]) => !secrets.includes(name)),
    secret: all.filter(([name]) => secrets.includes(name)).map(([name]) => name),
  };
}

/** Returns a value in the format of the command line; lists as JSON. */
const textOf = (value: VariableValue): string => (Array.isArray(value) ? JSON.stringify(value) : String(value));

/** Returns `NAME=value` lines, or one JSON object if a value does not fit on a line. */
function variableLines(
  request: StartExecutionRequest,
  secrets: readonly string[],
  safe: (text: string) => string,
  secretOf: (name: string) => string,
): { lines: string[] } {
  const { given, secret } = parted(request, secrets);
  const own = secret.map((name) => [name, secretOf(name)] as const);
  if (given.every(([, value]) => !/[\r\n]/.test(textOf(value))))
    return {
      lines: [...given.map(([name, value]) => safe(`${name}=${textOf(value)}`)), ...own.map((one) => one.join('='))],
    };
  const known = safe(JSON.stringify(Object.fromEntries(given)).slice(0, -1));
  return {
    lines: [`${[known, ...own.map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`)].join(',')}}`],
  };
}
