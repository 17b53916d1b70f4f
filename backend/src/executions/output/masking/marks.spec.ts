import { describe, expect, it } from '@jest/globals';
import { Marks } from './marks.js';

const [A, B] = [Buffer.from('<A>'), Buffer.from('<B>')];

function marksOf(text: string): Marks {
  const marks = new Marks();
  marks.append(Buffer.from(text));
  return marks;
}

describe('marks', () => {
  it('counts the first of two with the same bytes', () => {
    const marks = marksOf('abcd');
    marks.add(0, 3, A);
    marks.add(0, 3, B);
    expect(marks.release(4).toString()).toBe('<A>d');
  });

  it('counts the longer of two with the same end, in any order', () => {
    const marks = marksOf('abcdefgh');
    marks.add(0, 3, A);
    marks.add(1, 3, B);
    marks.add(6, 7, B);
    marks.add(5, 7, A);
    expect(marks.release(8).toString()).toBe('<A>de<A>h');
  });

  it('discards exactly the marks that lie within a longer one', () => {
    const marks = marksOf('0123456789');
    for (const start of [0, 2, 4, 6]) marks.add(start, start + 1, A);
    marks.add(3, 8, B);
    expect(marks.release(10).toString()).toBe('<A>1<A><B>89');
  });

  it('names each secret of a gap once', () => {
    const marks = marksOf('abcdefgh');
    marks.add(0, 3, A);
    marks.add(2, 4, B);
    marks.add(3, 5, A);
    marks.add(5, 6, B);
    expect(marks.release(8).toString()).toBe('<A><B><B>gh');
  });

  it('adds bytes to the preceding mark', () => {
    const marks = marksOf('abc==d');
    marks.add(0, 3, A);
    marks.extend(4);
    marks.extend(5);
    expect(marks.release(6).toString()).toBe('<A>d');
  });

  it('keeps a mark that begins at an undecided position', () => {
    const marks = marksOf('password');
    marks.add(0, 4, A);
    expect(marks.release(0).toString()).toBe('');
    marks.add(0, 8, B);
    expect(marks.release(8).toString()).toBe('<B>');
    expect(marks.idle).toBe(true);
  });

  it('copies nothing where nothing is masked', () => {
    const bytes = Buffer.alloc(10_000);
    const marks = new Marks();
    marks.append(bytes);
    expect(marks.release(5_000).buffer).toBe(bytes.buffer);
    expect(marks.idle).toBe(false);
  });
});
