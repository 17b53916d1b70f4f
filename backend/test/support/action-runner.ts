import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface CompositeAction {
  inputs: Record<string, { required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: {
    using: string;
    steps: { id: string; if?: string; shell: string; env?: Record<string, string>; run: string }[];
  };
}

export interface ActionResult {
  /** Exit code of the failed step; 0 = no step failed. */
  code: number;
  outputs: Record<string, string>;
  log: string;
  summary: string;
}

/**
 * Runs a composite action like GitHub's runner.
 * @param env environment of the job, in addition to the runner's
 */
export async function runAction(
  action: CompositeAction,
  inputs: Record<string, string>,
  { workspace, env }: { workspace: string; env: Record<string, string> },
): Promise<ActionResult> {
  const temp = path.join(workspace, '.runner');
  await mkdir(temp, { recursive: true });
  const files = { output: path.join(temp, 'output'), summary: path.join(temp, 'summary') };
  await writeFile(files.summary, '');
  const given = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { required, default: usual }]) => {
      if (required && inputs[name] === undefined) throw new Error(`The input ${name} is required.`);
      return [name, inputs[name] ?? usual ?? ''];
    }),
  );
  const unknown = Object.keys(inputs).filter((name) => !(name in action.inputs));
  if (unknown.length > 0) throw new Error(`The action has no input ${unknown.join(', ')}.`);
  const context: Context = { inputs: given, steps: {} };
  let [code, log] = [0, ''];
  for (const step of action.runs.steps) {
    if (code !== 0 || (step.if !== undefined && !evaluate(step.if.replace(/^\$\{\{|\}\}$/g, ''), context))) continue;
    if (step.shell !== 'bash') throw new Error(`No shell ${step.shell} here.`);
    await writeFile(files.output, '');
    const script = path.join(temp, `${step.id}.sh`);
    await writeFile(script, resolved(step.run, context));
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: workspace,
      env: {
        ...{
          GITHUB_OUTPUT: files.output,
          GITHUB_STEP_SUMMARY: files.summary,
          RUNNER_TEMP: temp,
          GITHUB_WORKSPACE: workspace,
        },
        ...{ GITHUB_REPOSITORY: 'acme/shop', GITHUB_RUN_ID: '8712', GITHUB_ACTIONS: 'true' },
        ...env,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, resolved(text, context)])),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (log += bytes.toString()));
    code = ((await once(child, 'close')) as [number])[0];
    context.steps[step.id] = { outputs: outputsIn(await readFile(files.output, 'utf8')) };
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, resolved(value, context)]);
  return {
    code,
    outputs: Object.fromEntries(outputs) as Record<string, string>,
    log,
    summary: await readFile(files.summary, 'utf8'),
  };
}

/** Parses outputs. Later lines override earlier ones. */
const outputsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const at = line.indexOf('=');
        if (at < 1) throw new Error(`No output: ${line}`);
        return [line.slice(0, at), line.slice(at + 1)];
      }),
  );

interface Context {
  inputs: Record<string, string>;
  steps: Record<string, { outputs: Record<string, string> }>;
}

const resolved = (text: string, context: Context): string =>
  text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => String(evaluate(expression, context)));

/** Evaluates an expression with `a.b.c`, `'text'`, `==`, `!=`, `&&` and `||`. */
function evaluate(expression: string, context: Context): string | boolean {
  const tokens = expression.match(/'(?:[^']|'')*'|==|!=|&&|\|\||[A-Za-z_][\w.-]*|\S/g) ?? [];
  const operand = (): string | boolean => {
    const token = tokens.shift() ?? '';
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (!/^[A-Za-z_][\w.-]*$/.test(token)) throw new Error(`Not understood: ${expression}`);
    let value: unknown = context;
    for (const part of token.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
    return typeof value === 'string' ? value : '';
  };
  const binary =
    (
      next: () => string | boolean,
      operators: Record<string, (a: string | boolean, b: string | boolean) => string | boolean>,
    ) =>
    () => {
      let value = next();
      for (let apply = operators[tokens[0] ?? '']; apply; apply = operators[tokens[0] ?? '']) {
        tokens.shift();
        value = apply(value, next());
      }
      return value;
    };
  const compared = binary(operand, { '==': (a, b) => a === b, '!=': (a, b) => a !== b });
  const both = binary(compared, { '&&': (a, b) => (a ? b : a) });
  const value = binary(both, { '||': (a, b) => (a ? a : b) })();
  if (tokens.length > 0) throw new Error(`Not understood: ${expression}`);
  return value;
}
