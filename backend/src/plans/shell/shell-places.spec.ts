import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { locateInsertions } from './shell-places.js';
import { shellWord } from './shell-text.js';

const places = (command: string) => locateInsertions(command.replace(/[⟨⟩]/g, '\0')).map(({ place }) => place);

const shells = ['dash', 'bash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0);

describe('positions of values in a shell command', () => {
  it.each([
    'echo ⟨v⟩',
    '⟨v⟩ --flag=⟨v⟩ a⟨v⟩b',
    `echo 'it''s' "a b" ⟨v⟩`,
    `echo "Hello "⟨v⟩"!"`,
    `echo "$(cat ⟨v⟩)"`,
    `echo "$(echo "$(cat ⟨v⟩)")"`,
    'cat <<EOF\nit\'s "fine\nEOF\necho ⟨v⟩',
    "cat <<-'EOF' > /tmp/x\n\tit's `fine\n\tEOF\necho ⟨v⟩",
    'cat <<A <<B\nA"\nA\nB\'\nB\necho ⟨v⟩',
    'x=1 # it\'s a "comment\necho ⟨v⟩',
    'echo a#b ${x#y} $# "${#x}" ⟨v⟩',
    'grep x <<< ⟨v⟩',
    'if [ ⟨v⟩ = a ]; then (cd ⟨v⟩ && ls); fi',
    'case ⟨v⟩ in a) echo ⟨v⟩;; esac',
    'echo $((1 << 2)) ⟨v⟩',
    "echo $'a' \\' ⟨v⟩",
    'echo ${array[@]} ${#array[@]} ⟨v⟩',
    "long \\\n  # it's a comment\necho ⟨v⟩",
    'long a\\\n  b ⟨v⟩',
    'a=(x y) ; echo ⟨v⟩',
    'echo $$⟨v⟩ $?⟨v⟩',
  ])('are words in %j', (command) => {
    expect(new Set(places(command))).toEqual(new Set(['word']));
  });

  it.each([
    ["echo 'a ⟨v⟩'", 'single_quotes'],
    ["echo $'a ⟨v⟩'", 'single_quotes'],
    ['echo "a ⟨v⟩"', 'double_quotes'],
    ['echo "a \\"⟨v⟩"', 'double_quotes'],
    ['cat <<EOF\n⟨v⟩\nEOF', 'here_document'],
    ["cat <<'EOF'\n⟨v⟩\nEOF", 'here_document'],
    ['cat <<EOF\na\\\nEOF\n⟨v⟩\nEOF', 'here_document'],
    ['cat <<EOF\n EOF\n⟨v⟩\nEOF', 'here_document'],
    ['true # ⟨v⟩', 'comment'],
    ['#⟨v⟩', 'comment'],
    ['echo `cat ⟨v⟩`', 'backticks'],
    ['echo "`cat ⟨v⟩`"', 'backticks'],
    ['echo ${x:-⟨v⟩}', 'expansion'],
    ['echo "${x:-⟨v⟩}"', 'expansion'],
    ['echo $((⟨v⟩ + 1))', 'arithmetic'],
    ['((⟨v⟩ > 1)) && ls', 'arithmetic'],
    ['echo \\⟨v⟩', 'after_backslash'],
    ['echo $⟨v⟩', 'after_dollar'],
    ['cat <<⟨v⟩', 'unclear'],
    ['echo $\\\n⟨v⟩', 'unclear'],
    ['echo $\\\n(ls) ⟨v⟩', 'unclear'],
    ['a=(⟨v⟩)', 'unclear'],
    ['a=(x;) ⟨v⟩', 'unclear'],
    ['echo $[⟨v⟩]', 'unclear'],
    ["echo $'a\\'b' ⟨v⟩", 'unclear'],
    [`echo "\${x:-'}'}" ⟨v⟩`, 'unclear'],
    ['echo "$(case x in a) echo ⟨v⟩;; esac)"', 'unclear'],
  ])('in %j: %s', (command, place) => {
    expect(places(command)).toEqual([place]);
  });

  it('returns the content and the line of each', () => {
    expect(locateInsertions('a\nb \0one\0\n\n"\0two\0"')).toEqual([
      { content: 'one', place: 'word', line: 2 },
      { content: 'two', place: 'double_quotes', line: 4 },
    ]);
  });

  it('reads a long command', () => {
    expect(places(`${'"$(x ${y} `z`)" '.repeat(4000)}⟨v⟩`)).toEqual(['word']);
    expect(places(`${'cat <<E\nE\n'.repeat(6000)}⟨v⟩`)).toEqual(['word']);
  });

  it.each(shells)('accepts no random command in which a hostile value would run in %s', (shell) => {
    const tokens =
      `' " $( ) \` \\ # $ $$ ; ( \${x:- \${x# } $(( )) (( a echo x= x=( <<< && | [[ ]] case esac $' "$( )" @( f() { ! fi`.split(
        ' ',
      );
    tokens.push(' ', ' ', '\n', '\n', '\\\n', '<<E\n', "<<'E'\n", '\nE\n', ' # ', 'case x in ', ' x)');
    const payloads = [
      '$(echo RAN >&9)',
      '`echo RAN >&9`',
      '\necho RAN >&9\n',
      "'\necho RAN >&9\n'",
      'x\nE\necho RAN >&9\n',
      ';echo RAN >&9;',
      ')\necho RAN >&9\n',
    ];
    let state = 11;
    const pick = (randomBelow: number) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % randomBelow;
    const commands: string[] = [];
    while (commands.length < 400) {
      const value = `\0${shellWord(payloads[pick(payloads.length)] as string)}\0`;
      const before = Array.from({ length: pick(7) }, () => tokens[pick(tokens.length)]).join('');
      const after = Array.from({ length: pick(4) }, () => tokens[pick(tokens.length)]).join('');
      const command = before + value + after;
      if (locateInsertions(command).every(({ place }) => place === 'word')) commands.push(command.replaceAll('\0', ''));
    }
    // One shell runs all commands, each in a subshell, and records which command ran a value.
    const script = commands.map(
      (command, i) => `(exec 9>&1 >/dev/null 2>&1; x=1; eval ${shellWord(command)} >/dev/null) | sed 's/^/${i} /'\n`,
    );
    const run = spawnSync(shell, ['-s'], { input: script.join(''), encoding: 'utf8', timeout: 50_000 });
    expect(run.status).not.toBeNull();
    expect(
      run.stdout
        .split('\n')
        .filter((line) => line.includes('RAN'))
        .map((line) => commands[Number.parseInt(line, 10)]),
    ).toEqual([]);
  });

  it.each(shells)('would detect that an unquoted hostile value runs in %s', (shell) => {
    const run = spawnSync(shell, ['-s'], {
      input: '(exec 9>&1; eval \'echo "a $(echo RAN >&9)"\' >/dev/null) | cat\n',
      encoding: 'utf8',
    });
    expect(run.stdout).toContain('RAN');
  });
});
