import { describe, expect, it } from '@jest/globals';
import { listChunkLines } from './output-lines.js';

const lines = (data: string | Buffer, continues = false) =>
  listChunkLines({ firstLine: 7, continues, data: Buffer.from(data as string) });

describe('lines of a chunk', () => {
  it('are numbered from the first', () => {
    expect(lines('one\n\nthree\n')).toEqual([
      { line: 7, text: 'one', partial: false, continues: false },
      { line: 8, text: '', partial: false, continues: false },
      { line: 9, text: 'three', partial: false, continues: false },
    ]);
  });

  it('are partial without a line end', () => {
    expect(lines('one\ntw')).toEqual([
      { line: 7, text: 'one', partial: false, continues: false },
      { line: 8, text: 'tw', partial: true, continues: false },
    ]);
  });

  it('continue a line of an earlier chunk', () => {
    expect(lines('o\n', true)).toEqual([{ line: 7, text: 'o', partial: false, continues: true }]);
    expect(lines('\n', true)).toEqual([{ line: 7, text: '', partial: false, continues: true }]);
    expect(lines('more', true)).toEqual([{ line: 7, text: 'more', partial: true, continues: true }]);
  });

  it('lose only the carriage return of their line end', () => {
    expect(lines('a\rb\r\n\r\nc\r').map(({ text }) => text)).toEqual(['a\rb', '', 'c\r']);
  });

  it('show bytes that are not UTF-8 as replacement characters', () => {
    expect(lines(Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0xc3, 0xa9, 0x0a])).map(({ text }) => text)).toEqual([
      'a\ufffd\ufffd',
      'é',
    ]);
  });

  it('do not exist in an empty chunk', () => expect(lines('')).toEqual([]));
});
