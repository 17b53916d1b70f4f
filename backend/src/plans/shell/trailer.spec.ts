import { describe, expect, it } from '@jest/globals';
import { readStepOutputs } from './step-outputs.js';
import { StepTrailer } from './trailer.js';

const MARK = 'rw-0123456789abcdef';

function feed(text: string | Buffer, size: number) {
  const trailer = new StepTrailer(MARK);
  const bytes = Buffer.from(text as string);
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(trailer.readBytes(bytes.subarray(at, at + size)));
  out.push(trailer.readEnd());
  return {
    output: Buffer.concat(out).toString(),
    skipped: trailer.skipped,
    outputs: trailer.outputs?.toString() ?? null,
  };
}

describe.each([1, 2, 3, 7, 19, 20, 64, 10_000])('output in pieces of %d bytes', (size) => {
  it.each([
    ['', '', false, null],
    ['a\nb\n', 'a\nb\n', false, null],
    [`${MARK} skipped\n`, '', true, null],
    [`welcome\n${MARK} skipped\n`, 'welcome\n', true, null],
    [`a\n\n${MARK} outputs 0\n`, 'a\n', false, ''],
    [`a\n${MARK} outputs 4\nx=1\n`, 'a', false, 'x=1\n'],
    [`\n${MARK} outputs 4\nx=ü`, '', false, 'x=ü'],
    [`ü\n${MARK} outputs 4\nx=1\nlater\n`, 'ülater\n', false, 'x=1\n'],
    [`a\n${MARK} outputs 40\n\n${MARK} skip`, 'a', false, null],
    [`a\n${MARK} outputs 9\nx=1\n`, 'a', false, null],
    [`a\n${MARK} outputs 9`, 'a', false, null],
    [`a\n${MARK} output\n`, `a\n${MARK} output\n`, false, null],
    [`\n\n\n${MARK.slice(0, -1)} outputs 1\n`, `\n\n\n${MARK.slice(0, -1)} outputs 1\n`, false, null],
    [`a\n${MARK}`, `a\n${MARK}`, false, null],
    [`a\n${MARK} outputs 1\nz\n${MARK} outputs 1\nz`, `a\n${MARK} outputs 1\nz`, false, 'z'],
  ])('%j results in %j', (text, output, skipped, outputs) => {
    expect(feed(text, size)).toEqual({ output, skipped, outputs });
  });
});

describe('previous content of a replaced file', () => {
  it.each([1, 3, 10_000])('is removed from the output, in pieces of %d bytes', (size) => {
    const read = (text: string) => {
      const trailer = new StepTrailer(MARK);
      const bytes = Buffer.from(text);
      const out: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) out.push(trailer.readBytes(bytes.subarray(at, at + size)));
      out.push(trailer.readEnd());
      return [Buffer.concat(out).toString(), trailer.before?.toString(), trailer.changed];
    };
    const end = `written\n\n${MARK} changed\n`;
    expect(read(`kept\n\n${MARK} before 4\na\nöb${end}`)).toEqual(['kept\nbwritten\n', 'a\nö', true]);
    expect(read(`\n${MARK} before 0\n${end}`)).toEqual(['written\n', '', true]);
    expect(read(`\n${MARK} large\n${end}`)).toEqual(['written\n', 'large', true]);
    expect(read(end)).toEqual(['written\n', undefined, true]);
    const markInOutput = `\n${MARK} changed\n`;
    expect(read(`\n${MARK} before ${markInOutput.length}\n${markInOutput}\n${MARK} unchanged\n`)).toEqual([
      '',
      markInOutput,
      false,
    ]);
  });
});

describe('the trailer', () => {
  it('passes everything at once that cannot be the beginning of a mark', () => {
    const trailer = new StepTrailer(MARK);
    expect(trailer.readBytes(Buffer.from('progress 10 %')).toString()).toBe('progress 10 %');
    expect(trailer.readBytes(Buffer.from('line\n')).toString()).toBe('line');
    expect(trailer.readBytes(Buffer.from('rw-0123456')).toString()).toBe('');
    expect(trailer.readBytes(Buffer.from('x')).toString()).toBe('\nrw-0123456x');
  });

  it('never waits for more than 64 KiB', () => {
    const { output, outputs } = feed(`\n${MARK} outputs 999999999\n${'x'.repeat(65_536)}rest`, 1000);
    expect([output, outputs?.length]).toEqual(['rest', 65_536]);
  });

  it('does not wait for the end of an invalid count', () => {
    const trailer = new StepTrailer(MARK);
    const flood = Buffer.alloc(100_000, 'x');
    trailer.readBytes(Buffer.from(`\n${MARK} outputs `));
    expect(trailer.readBytes(flood)).toHaveLength(flood.length);
    trailer.readBytes(Buffer.from(`\n${MARK} outputs 0.5\n`));
    expect(trailer.readBytes(flood)).toHaveLength(flood.length + 1);
    trailer.readBytes(Buffer.from(`\n${MARK} outputs 3\nx=1`));
    expect(trailer.outputs?.toString()).toBe('x=1');
  });

  it('does not change random bytes', () => {
    let state = 7;
    const bytes = Buffer.from(Array.from({ length: 20_000 }, () => (state = (state * 75 + 74) % 65_537) & 0xff));
    const trailer = new StepTrailer(MARK);
    const out: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 1 + (at % 97))
      out.push(trailer.readBytes(bytes.subarray(at, at + 1 + (at % 97))));
    expect(Buffer.concat([...out, trailer.readEnd()]).equals(bytes)).toBe(true);
  });
});

describe('the outputs of a step', () => {
  const read = (text: string | Buffer) => readStepOutputs(Buffer.from(text as string), ['version', 'b']);

  it('are name=value lines, of which the last one wins', () => {
    expect(read('version=1\n\nb=x=y z \r\nversion=v2')).toEqual({
      values: { version: 'v2', b: 'x=y z ' },
      problems: [],
    });
    expect(read('')).toEqual({ values: {}, problems: [] });
    expect(read('b=\n')).toEqual({ values: { b: '' }, problems: [] });
  });

  it('are reported without their values when they are not declared or not readable', () => {
    const long = 'x'.repeat(8193);
    const { values, problems } = read(
      `nope=hunter2\nhunter2\n=hunter2\nhun ter2!=1\n__proto__=1\nb=ok\nb=${long}\nversion=a\0b\n`,
    );
    expect(values).toEqual({});
    expect(problems).toEqual([
      'Line 1 of the outputs sets "nope", which the step does not declare among its outputs.',
      'Line 2 of the outputs is not of the form name=value.',
      'Line 3 of the outputs sets a name, which the step does not declare among its outputs.',
      'Line 4 of the outputs sets a name, which the step does not declare among its outputs.',
      'Line 5 of the outputs sets "__proto__", which the step does not declare among its outputs.',
      'Line 7 of the outputs gives "b" more than 8 KiB.',
      'Line 8 of the outputs gives "version" a NUL or invalid UTF-8.',
    ]);
    expect(read(Buffer.from([...Buffer.from('b='), 0xff])).problems).toHaveLength(1);
    expect(read('?\n'.repeat(100)).problems).toHaveLength(20);
  });

  it('may have up to 8 KiB', () => {
    expect(read(`b=${'x'.repeat(8192)}`).values.b).toHaveLength(8192);
  });

  it('exclude a truncated value', () => {
    const filler = `version=${'x'.repeat(7000)}\n`.repeat(9);
    const content = Buffer.from(`${filler}b=${'y'.repeat(7000)}`).subarray(0, 65_536);
    expect(content).toHaveLength(65_536);
    const { values, problems } = readStepOutputs(content, ['version', 'b']);
    expect(Object.keys(values)).toEqual(['version']);
    expect(problems).toEqual([expect.stringContaining('64 KiB')]);
  });
});
