import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { checkCommandTemplate, type CommandValue, renderCommand } from '../../rendering/render-command.js';
import { readYaml } from '../../code/read-yaml.js';
import { convertJobs } from './convert-jobs.js';

const VALUE = `it's "a" $(echo no) \`b\` \\n * #x`;
const values: CommandValue[] = [
  { name: 'x', value: VALUE, secret: false },
  { name: 'n', value: '2', secret: false },
];

interface Step {
  readonly command?: string;
}

function stepOf(step: object): Step {
  const job = {
    name: 'job',
    options: [{ name: 'x' }, { name: 'n' }],
    nodefilters: { filter: '.*' },
    sequence: { commands: [step] },
  };
  const [plan] = convertJobs(readYaml(JSON.stringify([job]), 'texts')).plans;
  const steps = (plan?.value.steps ?? []) as unknown as Step[];
  return steps[0] ?? {};
}

function run(command: string): string {
  expect(checkCommandTemplate(command, values)).toEqual([]);
  const env = { ...process.env, x: VALUE, n: '2' };
  const { stdout, status } = spawnSync('/bin/sh', ['-c', renderCommand(command, values)], { encoding: 'utf8', env });
  expect(status).toBe(0);
  return stdout;
}

/** Commands that contain the reference as `REF`. Each prints exactly the value. */
const PLACES: [string, string][] = [
  ['a word', `printf '<%s>' REF`],
  ['a part of a word', `printf '<%s>' ""REF`],
  ['double quotes', `printf '<%s>' "REF"`],
  ['single quotes', `printf '<%s>' 'REF'`],
  ['single quotes after a comment with an apostrophe', `# don't\nprintf '<%s>' 'REF'`],
  ['a word after a comment with an apostrophe', `# don't\nprintf '<%s>' REF`],
  ['a substitution', `printf '<%s>' "$(printf %s REF)"`],
  ['quotes in a substitution', `printf '<%s>' "$(printf %s "REF")"`],
  ['an assignment', `v=REF; printf '<%s>' "$v"`],
  ['a default', `printf '<%s>' "\${nobody:-REF}"`],
  ['a here-document', `printf '<%s>' "$(cat <<END\nREF\nEND\n)"`],
  ['a here-document of its own', `cat <<END | { IFS= read -r v; printf '<%s>' "$v"; }\nREF\nEND`],
  ['a quoted here-document', `cat <<'END' | { IFS= read -r v; printf '<%s>' "$v"; }\nREF\nEND`],
  ['backticks', 'v=`printf %s REF`; printf \'<%s>\' "$v"'],
  ['after a backslash', `printf '<%s>' \\REF`],
  ['a comment', `printf '<%s>' "$x" # REF`],
];

const MADE: [string, (text: string) => object][] = [
  ['a command', (text) => ({ exec: text.replace('REF', '${option.x}') })],
  ['a script for sh', (text) => ({ script: text.replace('REF', '@option.x@') })],
  [
    'a script with an interpreter',
    (text) => ({ script: text.replace('REF', '@option.x@'), scriptInterpreter: 'bash' }),
  ],
  [
    'a command with a handler',
    (text) => ({ exec: text.replace('REF', '${option.x}'), errorhandler: { exec: 'echo failed' } }),
  ],
];

describe('reference to an option', () => {
  it.each(MADE)('inserts exactly its value, or the step is not converted: %s', (_, made) => {
    let carriedCount = 0;
    for (const [place, text] of PLACES) {
      const { command } = stepOf(made(text));
      if (command === undefined) continue;
      expect({ place, printed: run(command) }).toEqual({ place, printed: `<${VALUE}>` });
      carriedCount += 1;
    }
    expect(carriedCount).toBeGreaterThan(8);
  });

  it('may use the exported variable', () => {
    const { command = '' } = stepOf({ exec: `printf '<%s>' "$RD_OPTION_X"` });
    expect(run(command)).toBe(`<${VALUE}>`);
  });

  it('is a number in arithmetic, and several words if unquoted', () => {
    const { command = '' } = stepOf({ exec: 'echo $(( ${option.n} + 1 )); printf "<%s>" ${unquotedoption.n}' });
    expect(run(command)).toBe('3\n<2>');
  });

  it('is found in scripts by the rules of Rundeck, where @@ means @', () => {
    const { command = '' } = stepOf({
      script: `printf '<%s>' a@@b.@option.n@ @@@option.n@ "@ a@b c@ d" "@@option.n@"`,
    });
    expect(run(command)).toBe('<a@b.2><@2><@ a@b c@ d><@option.n@>');
  });

  it.each(['a@example.org,b@example.org', '${a[@]}${b[@]}', '@nothing@'])(
    'prevents conversion where Rundeck would remove text between two @ of a script: %s',
    (text) => {
      for (const scriptInterpreter of ['bash', 'perl'])
        expect(stepOf({ script: `echo "${text}"; true`, scriptInterpreter })).toMatchObject({ placeholder: true });
    },
  );

  it('is inserted as plain text in a script of another language', () => {
    const { command = '' } = stepOf({ script: 'print("@option.n@")', scriptInterpreter: 'python3' });
    expect(command).toContain('print("{{ n | raw }}")');
  });
});

describe('converted step', () => {
  const outcome = (step: object) => {
    const { command = '' } = stepOf(step);
    const { stdout, status } = spawnSync('/bin/sh', ['-c', renderCommand(command, values)], { encoding: 'utf8' });
    return [stdout.trim(), status];
  };

  it.each([
    ['a command that fails', { exec: 'echo a; exit 3', errorhandler: { exec: 'echo b' } }, ['a\nb', 3]],
    ['one that succeeds', { exec: 'echo a', errorhandler: { exec: 'echo b' } }, ['a', 0]],
    ['a handler that saves', { exec: 'exit 3', errorhandler: { exec: 'echo b', keepgoingOnSuccess: true } }, ['b', 0]],
    ['a handler that fails', { exec: 'exit 3', errorhandler: { exec: 'exit 4', keepgoingOnSuccess: true } }, ['', 4]],
    ['a script', { script: 'echo a\nexit 3', errorhandler: { script: 'echo b', args: 'c' } }, ['a\nb', 3]],
    ['a script with arguments', { script: 'echo "$2"', args: "a 'b c'" }, ['b c', 0]],
    ['a file extension', { script: 'echo "${0##*.}"', fileExtension: '.sh' }, ['sh', 0]],
    ['an interpreter with a place', { script: 'echo a', scriptInterpreter: 'sh -e ${scriptfile}' }, ['a', 0]],
  ])('ends as the job did: %s', (_, step, expected) => {
    expect(outcome(step)).toEqual(expected);
  });
});
