import { describe, expect, it } from '@jest/globals';
import { IdentificationLineFilter } from './greeting.js';

const passed = (lines: IdentificationLineFilter, ...pieces: string[]) =>
  pieces.map((piece) => lines.take(Buffer.from(piece)).toString());

describe('server output before the identification', () => {
  it('is passed on in complete lines, and unchanged after the identification', () => {
    const lines = new IdentificationLineFilter();
    expect(passed(lines, 'hel', 'lo\r\nS', 'SH', '-2.0-x\r', '\nab', 'c')).toEqual([
      '',
      'hello\r\n',
      '',
      '',
      'SSH-2.0-x\r\nab',
      'c',
    ]);
    expect(lines.exceeded).toBe(false);
  });

  it('includes an incomplete last line at the end', () => {
    const lines = new IdentificationLineFilter();
    expect(passed(lines, '220 mail\r\n\x15\x03')).toEqual(['220 mail\r\n']);
    expect(lines.rest().toString()).toBe('\x15\x03');
    expect(lines.rest().length).toBe(0);
  });

  it('is limited in bytes, lines and line length', () => {
    const many = new IdentificationLineFilter();
    passed(many, '\n'.repeat(1_024));
    expect(many.exceeded).toBe(false);
    passed(many, '\n');
    expect(many.exceeded).toBe(true);
    const atOnce = new IdentificationLineFilter();
    expect(passed(atOnce, '\n'.repeat(64_000))).toEqual(['\n'.repeat(1_025)]);
    expect(atOnce.exceeded).toBe(true);
    const large = new IdentificationLineFilter();
    passed(large, ...Array.from({ length: 65 }, () => `${'x'.repeat(1_023)}\n`));
    expect(large.exceeded).toBe(true);
    const long = new IdentificationLineFilter();
    expect(passed(long, 'x'.repeat(9_000))[0]?.length).toBe(9_000);
  });
});
