import { describe, expect, it } from 'vitest';
import { type DiffLine, diffLines, readDiff } from './diff-lines';

const SIGNS = { same: ' ', added: '+', removed: '-' };
const texts = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => SIGNS[kind] + text);
const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`).join('\n');

describe('differences between two texts', () => {
  it('stand between the lines that stayed, what was removed before what was added', () => {
    expect(texts(diffLines('a\nb\nc', 'a\nB\nc\nd'))).toEqual([' a', '-b', '+B', ' c', '+d']);
  });

  it('are none between equal texts', () => {
    expect(diffLines('a\n\nb\n', 'a\n\nb\n').every(({ kind }) => kind === 'same')).toBe(true);
  });

  it('are the whole text where there was none, or is none any more', () => {
    expect(texts(diffLines(null, 'a\nb'))).toEqual(['+a', '+b']);
    expect(texts(diffLines('a', null))).toEqual(['-a']);
    expect(diffLines(null, null)).toEqual([]);
  });

  it('distinguish an empty text from none', () => {
    expect(texts(diffLines(null, ''))).toEqual(['+']);
    expect(texts(diffLines('', ''))).toEqual([' ']);
  });

  it('show a line end that was added or removed at the end', () => {
    expect(texts(diffLines('a', 'a\n'))).toEqual([' a', '+']);
  });

  it('count letters and spaces alike', () => {
    expect(texts(diffLines('a ', 'a'))).toEqual(['-a ', '+a']);
    expect(texts(diffLines('a\r\nb', 'a\nb'))).toEqual(['-a\r', '+a', ' b']);
  });

  it('give back both texts, and no more lines than needed', () => {
    const [before, after] = ['a\nb\nc\na\nb\nb\na', 'c\nb\na\nb\na\nc'];
    const lines = diffLines(before, after);
    const without = (kind: DiffLine['kind']) =>
      lines
        .filter((line) => line.kind !== kind)
        .map(({ text }) => text)
        .join('\n');
    expect(without('added')).toBe(before);
    expect(without('removed')).toBe(after);
    expect(lines.filter(({ kind }) => kind === 'same')).toHaveLength(4);
  });

  it('are not looked for in texts with too many lines, which are shown as replaced', () => {
    const kinds = (lines: DiffLine[]) => new Set(lines.map(({ kind }) => kind));
    expect(kinds(diffLines(numbered(500, 'x'), numbered(500, 'x')))).toEqual(new Set(['same']));
    expect(kinds(diffLines(numbered(501, 'x'), numbered(500, 'x')))).toEqual(new Set(['removed', 'added']));
  });
});

describe('a unified diff', () => {
  it('is read without its file headers, with its hunk headers', () => {
    const diff = '--- /etc/a\tnow\n+++ /etc/a\tafter the run\n@@ -1,2 +1,2 @@\n keep\n-old\n+new\n';
    expect(texts(readDiff(diff))).toEqual([' @@ -1,2 +1,2 @@', ' keep', '-old', '+new']);
  });

  it('keeps lines that begin as a file header does', () => {
    const diff = '--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- a comment\n+++ counted\n keep\n';
    expect(texts(readDiff(diff))).toEqual([' @@ -1,2 +1,2 @@', '--- a comment', '+++ counted', ' keep']);
  });

  it('keeps empty lines, and text that is no diff', () => {
    expect(texts(readDiff('@@ -1 +1 @@\n \n+\n'))).toEqual([' @@ -1 +1 @@', ' ', '+']);
    expect(texts(readDiff('The file has too many differences to show.'))).toEqual([
      ' The file has too many differences to show.',
    ]);
  });
});
