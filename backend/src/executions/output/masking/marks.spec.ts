import { describe, expect, it } from '@jest/globals';
import { MaskedRanges } from './marks.js';

const [A, B] = [Buffer.from('<A>'), Buffer.from('<B>')];

function marksOf(text: string): MaskedRanges {
  const marks = new MaskedRanges();
  marks.appendBytes(Buffer.from(text));
  return marks;
}

describe('marks', () => {
  it('counts the first of two with the same bytes', () => {
    const marks = marksOf('abcd');
    marks.addRange(0, 3, A);
    marks.addRange(0, 3, B);
    expect(marks.releaseMasked(4).toString()).toBe('<A>d');
  });

  it('counts the longer of two with the same end, in any order', () => {
    const marks = marksOf('abcdefgh');
    marks.addRange(0, 3, A);
    marks.addRange(1, 3, B);
    marks.addRange(6, 7, B);
    marks.addRange(5, 7, A);
    expect(marks.releaseMasked(8).toString()).toBe('<A>de<A>h');
  });

  it('discards exactly the marks that lie within a longer one', () => {
    const marks = marksOf('0123456789');
    for (const start of [0, 2, 4, 6]) marks.addRange(start, start + 1, A);
    marks.addRange(3, 8, B);
    expect(marks.releaseMasked(10).toString()).toBe('<A>1<A><B>89');
  });

  it('names each secret of a gap once', () => {
    const marks = marksOf('abcdefgh');
    marks.addRange(0, 3, A);
    marks.addRange(2, 4, B);
    marks.addRange(3, 5, A);
    marks.addRange(5, 6, B);
    expect(marks.releaseMasked(8).toString()).toBe('<A><B><B>gh');
  });

  it('adds bytes to the preceding mark', () => {
    const marks = marksOf('abc==d');
    marks.addRange(0, 3, A);
    marks.extendLast(4);
    marks.extendLast(5);
    expect(marks.releaseMasked(6).toString()).toBe('<A>d');
  });

  it('keeps a mark that begins at an undecided position', () => {
    const marks = marksOf('password');
    marks.addRange(0, 4, A);
    expect(marks.releaseMasked(0).toString()).toBe('');
    marks.addRange(0, 8, B);
    expect(marks.releaseMasked(8).toString()).toBe('<B>');
    expect(marks.isIdle).toBe(true);
  });

  it('copies nothing where nothing is masked', () => {
    const bytes = Buffer.alloc(10_000);
    const marks = new MaskedRanges();
    marks.appendBytes(bytes);
    expect(marks.releaseMasked(5_000).buffer).toBe(bytes.buffer);
    expect(marks.isIdle).toBe(false);
  });
});
