import { describe, expect, it } from '@jest/globals';
import { LineSearch, toSearchFragments } from './line-search.js';

const found = (q: string, data: string | Buffer, before: string | null = null) =>
  new LineSearch(q)
    .findLines(
      { firstLine: 7, continues: before !== null, data: Buffer.from(data as string) },
      before === null ? null : Buffer.from(before),
    )
    .map(({ line, index, text }) => [line, index, text]);

describe('a search for a text', () => {
  it('finds lines with their numbers and positions, ignoring case', () => {
    expect(found('oNe', 'one\ntwo\nNONE\n')).toEqual([
      [7, 0, 'one'],
      [9, 2, 'NONE'],
    ]);
    expect(found('größe', 'GRÖSSE\nGRÖßE\n')).toEqual([[8, 1, 'GRÖßE']]);
  });

  it('finds a sigma at any position in a word', () => {
    expect(found('ΟΔΟΣ', 'οδος\nοδοσημα\nΟΔΟΣΗΜΑ\n')).toHaveLength(3);
  });

  it('excludes line ends from the line', () => {
    expect(found('one\ntwo', 'one\ntwo\n')).toEqual([]);
    expect(found('one\r', 'one\r\n')).toEqual([]);
  });

  it('ignores invalid UTF-8', () => {
    expect(found('error', Buffer.from([0xff, 0xc3, 0x0a, 0xc3, ...Buffer.from('ERROR'), 0xe2, 0x84, 0x0a]))).toEqual([
      [8, 1, '\ufffdERROR\ufffd'],
    ]);
  });

  it('finds the rest of a line in which the text ends, not one in which it has ended before', () => {
    expect(found('connecting: done', 'done\n', 'first\nConnecting: ')).toEqual([[7, 0, 'done']]);
    expect(found('connecting', 'done\n', 'Connecting')).toEqual([]);
    expect(found('first', 'rst\n', 'fi\n')).toEqual([]);
    expect(found('done', 'done\nDONE\n', 'x')).toHaveLength(2);
  });

  it('does not match across the boundary to a new line', () => {
    const chunk = { firstLine: 7, continues: false, data: Buffer.from('done\n') };
    expect(new LineSearch('is done').findLines(chunk, Buffer.from('is '))).toEqual([]);
  });
});

describe('traces in raw bytes', () => {
  /** Text of the bytes as PostgreSQL writes it: `lower(encode(…, 'escape'))` in the C collation. */
  const raw = (text: string) =>
    [...Buffer.from(text)]
      .map((byte) => {
        if (byte === 0 || byte >= 0x80) return `\\${byte.toString(8).padStart(3, '0')}`;
        return byte === 0x5c ? '\\\\' : String.fromCharCode(byte).replace(/[A-Z]/, (letter) => letter.toLowerCase());
      })
      .join('');
  const mayHold = (q: string, text: string) => toSearchFragments(q).some((trace) => raw(text).includes(trace));

  it('exclude most chunks without the text', () => {
    expect(mayHold('disk full', 'Disk is full')).toBe(false);
    expect(mayHold('größer', 'größe')).toBe(true);
    expect(mayHold('schönster', 'schön')).toBe(false);
  });

  it('are the longest run of ASCII, with its backslashes doubled; an empty one where there is none', () => {
    expect(toSearchFragments('éA\\b')).toEqual(['a\\\\b']);
    expect(mayHold('C:\\temp', 'in c:\\TEMP')).toBe(true);
    expect(toSearchFragments('σας')).toEqual(['']);
  });

  it('never exclude a character whose lower case is in the search text', () => {
    const missed: string[] = [];
    for (let code = 1; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      for (const letter of new Set(Array.from(character.toLowerCase()).filter((each) => each <= '\x7f'))) {
        if (!mayHold(letter, character)) missed.push(code.toString(16));
      }
    }
    expect(missed).toEqual([]);
  });
});
