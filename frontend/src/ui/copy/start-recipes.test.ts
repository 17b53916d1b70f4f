import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { StartExecutionRequest } from '../../api/types';
import { type NamedStart, startRecipes } from './start-recipes';
import { tokenRecipes } from './token-recipes';

const HOSTILE = `it's $(touch pwned) \`id\` "x" \${HOME} $HOME \\ \${{ secrets.X }} # : - ü`;
const request: StartExecutionRequest = {
  planId: 'p1',
  execution_mode: 'dry_run',
  environmentId: 'e1',
  variables: { TEXT: HOSTILE, COUNT: 3, FORCE: false, NAMES: ['a,b', 1], PASSWORD: 'hunter2' },
  targets: 'role in (web, db)',
  expectedDigest: 'a'.repeat(64),
  note: HOSTILE,
};
const start: NamedStart = {
  origin: 'https://runward.example',
  plan: HOSTILE,
  environment: 'prod eu',
  request,
  secrets: ['PASSWORD'],
};
const textOf = (key: string, of: NamedStart = start) =>
  startRecipes(of).find((recipe) => recipe.key === key)?.text ?? '';

/** Pastes the text into a shell. Returns the arguments and input that this program gets. */
function pasted(text: string, program: string): { args: string[]; input: string } {
  const script = `${program}() { printf '%s\\0' "$@"; printf '\\1'; [ -t 0 ] || cat; }\n${text}`;
  const env = { PATH: process.env.PATH, RUNWARD_TOKEN: 'the-token', PASSWORD: 'of "the" shell' };
  const [args = '', input = ''] = execFileSync('bash', ['--norc', '-euc', script], { env, input: '' })
    .toString()
    .split('\x01');
  return { args: args.split('\0').slice(0, -1), input };
}

describe('a start to copy', () => {
  it('never holds a secret, and has the token as a variable', () => {
    for (const { text } of startRecipes(start)) {
      expect(text).not.toContain('hunter2');
      expect(text).toMatch(/RUNWARD_TOKEN|RUNWARD_URL=/);
    }
  });

  it('as curl sends the same request from a shell, secrets from its variables', () => {
    const { args } = pasted(textOf('curl'), 'curl');
    expect(args.slice(0, 4)).toEqual(['-fsS', '-X', 'POST', 'https://runward.example/api/executions']);
    expect(args).toContain('Authorization: Bearer the-token');
    const sent = JSON.parse(args.at(-1) ?? '') as StartExecutionRequest;
    expect(sent).toEqual({ ...request, variables: { ...request.variables, PASSWORD: 'of "the" shell' } });
    const bare = { ...start, request: { planId: 'p1', execution_mode: 'auto' as const } };
    expect(pasted(textOf('curl', bare), 'curl').args.at(-1)).toBe('{"planId":"p1","execution_mode":"auto"}');
  });

  it('as a command line has each value as one word, and secrets through a pipe', () => {
    const { args, input } = pasted(`curl() { :; }\n${textOf('cli')}`, 'node');
    expect(args.slice(0, 3)).toEqual(['runward.mjs', 'run', 'start']);
    expect(args.slice(-2)).toEqual(['--', HOSTILE]);
    const of = (option: string) => args.filter((_, index) => args[index - 1] === option);
    expect(of('--var')).toEqual([`TEXT=${HOSTILE}`, 'COUNT=3', 'FORCE=false', 'NAMES=["a,b",1]']);
    expect([of('--env'), of('--mode'), of('--targets'), of('--note')]).toEqual([
      ['prod eu'],
      ['dry_run'],
      ['role in (web, db)'],
      [HOSTILE],
    ]);
    expect(input).toBe('PASSWORD=of "the" shell\n');
  });

  it('as a GitHub step is YAML in which no value is an expression', () => {
    const [step] = parse(textOf('github')) as { with: Record<string, string> }[];
    const literal = (text = '') => text.replaceAll("${{ '${{' }}", '${{');
    expect(literal(step?.with.plan)).toBe(HOSTILE);
    expect(literal(step?.with.note)).toBe(HOSTILE);
    expect(step?.with.token).toBe('${{ secrets.RUNWARD_TOKEN }}');
    const lines = literal(step?.with.variables).trim().split('\n');
    expect(lines).toEqual([
      `TEXT=${HOSTILE}`,
      'COUNT=3',
      'FORCE=false',
      'NAMES=["a,b",1]',
      'PASSWORD=${{ secrets.PASSWORD }}',
    ]);
    const expressions = textOf('github').match(/\$\{\{.*?\}\}/g) ?? [];
    expect(new Set(expressions)).toEqual(
      new Set(["${{ '${{' }}", '${{ secrets.RUNWARD_TOKEN }}', '${{ secrets.PASSWORD }}']),
    );
  });

  it('as a GitLab job is YAML in which no value is replaced', () => {
    const { deploy } = parse(textOf('gitlab')) as { deploy: { variables: Record<string, string> } };
    const replaced = (text = '') =>
      text.replace(/\$(\$|\w+|\{\w+\})/g, (_, what: string) => (what === '$' ? '$' : `<${what}>`));
    expect(replaced(deploy.variables.RUNWARD_PLAN)).toBe(HOSTILE);
    expect(replaced(deploy.variables.RUNWARD_VARIABLES).trim().split('\n').at(0)).toBe(`TEXT=${HOSTILE}`);
    expect(replaced(deploy.variables.RUNWARD_VARIABLES)).toContain('PASSWORD=<PASSWORD>');
  });

  it('has values of several lines as one JSON object', () => {
    const of = { ...start, request: { ...request, variables: { TEXT: 'a\nb ${{ x }}', PASSWORD: 'hunter2' } } };
    const [step] = parse(textOf('github', of)) as { with: { variables: string } }[];
    expect(JSON.parse(step?.with.variables.replaceAll("${{ '${{' }}", '${{') ?? '')).toEqual({
      TEXT: 'a\nb ${{ x }}',
      PASSWORD: '${{ secrets.PASSWORD }}',
    });
    expect(pasted(`curl() { :; }\n${textOf('cli', of)}`, 'node').args).toContain('TEXT=a\nb ${{ x }}');
  });
});

it('first steps with a token have it as a variable, and are no odd YAML', () => {
  const recipes = tokenRecipes('https://runward.example');
  expect(recipes.map(({ key }) => key)).toEqual(['curl', 'cli', 'typescript', 'github', 'gitlab']);
  for (const { key, text } of recipes) {
    expect(text).not.toMatch(/runward_/);
    if (key === 'github' || key === 'gitlab') expect(parse(text)).toBeTruthy();
  }
});
