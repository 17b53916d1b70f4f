import { describe, expect, it } from '@jest/globals';
import { scriptProgram } from './script-program.js';
import { scriptWarnings } from './script-warnings.js';

const words = (content: string, interpreter: string | null = null) => scriptProgram(interpreter, content).words;
const codes = (content: string, interpreter: string | null = null) =>
  scriptWarnings(words(content, interpreter), content).map(({ reason }) => reason.code);

describe('script program', () => {
  it.each([
    ['#!/bin/bash', ['/bin/bash']],
    ['#!/bin/bash -e', ['/bin/bash', '-e']],
    ['#! \t/bin/bash \t -eu  \t', ['/bin/bash', '-eu']],
    // Linux does not split the arguments.
    ['#!/bin/bash -e -u', ['/bin/bash', '-e -u']],
    ['#!/usr/bin/env python3', ['/usr/bin/env', 'python3']],
    ['#!/usr/bin/env -S python3 -u', ['/usr/bin/env', 'python3', '-u']],
    ['#!/usr/bin/env -Spython3  -u', ['/usr/bin/env', 'python3', '-u']],
    ['#!/usr/bin/env --split-string=perl -w', ['/usr/bin/env', 'perl', '-w']],
    ['#!/usr/bin/env -S -i LC_ALL=C bash -e', ['/usr/bin/env', '-i', 'LC_ALL=C', 'bash', '-e']],
    ['#!/usr/bin/env -S bash -c "a b"', ['/usr/bin/env', '-S bash -c "a b"']],
    ['#!/usr/bin/env -S ${SHELL} -e', ['/usr/bin/env', '-S ${SHELL} -e']],
    ['#!/opt/ünï/py-3.1', ['/opt/ünï/py-3.1']],
    ['#!/usr/bin/awk -f\r\n{ print }', ['/usr/bin/awk', '-f']],
    ['\uFEFF#!/bin/bash\necho', ['/bin/bash']],
  ])('comes from the first line %j', (line, expected) => {
    expect(scriptProgram(null, `${line}\necho`)).toEqual({ words: expected, source: 'first_line' });
    expect(scriptProgram(null, line).words).toEqual(expected);
  });

  it.each(['', 'echo', '\n#!/bin/bash', ' #!/bin/bash', '# !/bin/bash', '#!', '#! \t', '#!\r', '!#/bin/bash'])(
    'is /bin/sh for the content %j',
    (content) => {
      expect(scriptProgram(null, `${content}\nexit`)).toEqual({ words: ['/bin/sh'], source: 'default' });
    },
  );

  it('is the interpreter if one is set', () => {
    expect(scriptProgram('python3', '#!/bin/bash -e')).toEqual({ words: ['python3'], source: 'interpreter' });
  });
});

describe('script warnings', () => {
  it.each([
    ['#!/bin/bash', '/bin/sh'],
    ['#!/bin/bash -e', 'bash'],
    ['#!/usr/bin/env -S python3 -u', 'python3'],
    ['#!/usr/bin/env perl', 'python3'],
  ])('report that %j contradicts the interpreter %j', (line, interpreter) => {
    const [warning] = scriptWarnings([interpreter], line);
    expect(warning?.reason.code).toBe('interpreter_contradiction');
    expect(warning?.reason.text).toContain(`, but "${interpreter}" runs the script`);
  });

  it.each([
    ['#!/bin/bash', 'bash'],
    ['#!/usr/bin/env python3', '/usr/local/bin/python3'],
    ['#!/usr/bin/env -S LC_ALL=C bash', '/bin/bash'],
    ['echo', 'python3'],
    ['#!/bin/bash -e', null],
    ['#!/usr/bin/env -S bash -c "a b"', null],
    ['#!/usr/bin/perl -w -T', null],
  ])('are empty for %j with the interpreter %j', (line, interpreter) => {
    expect(codes(`${line}\n`, interpreter)).toEqual([]);
  });

  it('report that Linux does not split the arguments of line 1', () => {
    expect(codes('#!/bin/bash -e -u\n')).toEqual(['first_line_arguments']);
    expect(codes('#!/usr/bin/env python3 -u\n')).toEqual(['first_line_arguments']);
  });

  it('report a byte order mark, and the number of lines with Windows line ends', () => {
    const [mark, ends] = scriptWarnings(['/bin/sh'], '\uFEFFa\r\nb\n\r\n');
    expect([mark?.reason.code, ends?.reason.code]).toEqual(['byte_order_mark', 'windows_line_ends']);
    expect(ends?.reason.text).toContain('in 2 lines');
  });
});
