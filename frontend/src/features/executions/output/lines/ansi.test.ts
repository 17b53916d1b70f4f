import { describe, expect, it } from 'vitest';
import { splitAtTerm, spansOf } from './ansi';

const ESC = '\u001b';
const text = (line: string) =>
  spansOf(line)
    .map((span) => span.text)
    .join('');

describe('a line with escape sequences', () => {
  it('keeps colours and weight', () => {
    expect(spansOf(`a ${ESC}[1;31mred${ESC}[0m b`)).toEqual([
      { text: 'a ', className: '', colouring: null },
      { text: 'red', className: 'bold', colouring: { foreground: 'red', background: null, dim: false } },
      { text: ' b', className: '', colouring: null },
    ]);
  });

  it('knows palette and true colours, and keeps true colours within their range', () => {
    const colour = (codes: string) => spansOf(`${ESC}[${codes}mx`)[0]?.colouring;
    expect(colour('38;5;200')?.foreground).toBe(200);
    expect(colour('48;2;1;2;3')?.background).toEqual([1, 2, 3]);
    expect(colour('92')?.foreground).toBe('bright-green');
    expect(colour('2')).toEqual({ foreground: null, background: null, dim: true });
  });

  it.each([
    ['moving the cursor', `${ESC}[2J${ESC}[1;1Hx`],
    ['setting the title', `${ESC}]0;title\u0007x`],
    ['a hyperlink', `${ESC}]8;;http://evil${ESC}\\x`],
    ['an unfinished sequence', `x${ESC}[31`],
    ['asking the terminal', `${ESC}[c x`],
  ])('shows %s instead of obeying it', (_, line) => {
    expect(text(line)).toContain('\u241b');
    expect(text(line)).not.toContain(ESC);
  });

  it('never hides text and never lets it blink', () => {
    expect(
      spansOf(`${ESC}[8mhidden${ESC}[5mblink`).map(({ text: visible, className }) => [visible, className]),
    ).toEqual([
      ['hidden', ''],
      ['blink', ''],
    ]);
  });

  it('shows carriage returns, backspaces and characters that change the order of reading', () => {
    expect(text('ok\rrm\b')).toBe('ok\u240drm\u2408');
    expect(text('a\u202eb\u200bc')).toBe('a‹U+202E›b‹U+200B›c');
    expect(text('a\u007fb\u0085c')).toBe('a\u2421b‹U+0085›c');
  });

  it('leaves ordinary text alone, with tabs, emoji and markup', () => {
    expect(text('\t<b>é🚀</b> & "x"')).toBe('\t<b>é🚀</b> & "x"');
    expect(spansOf('')).toEqual([]);
  });
});

describe('cutting at a search term', () => {
  it('makes every second piece a match, ignoring case', () => {
    expect(splitAtTerm('Error: no error', 'ERROR')).toEqual(['', 'Error', ': no ', 'error', '']);
  });

  it('finds nothing in other texts, and for an empty term', () => {
    expect(splitAtTerm('abc', 'x')).toEqual(['abc']);
    expect(splitAtTerm('abc', '')).toEqual(['abc']);
    expect(splitAtTerm('', 'x')).toEqual(['']);
  });

  it('takes a term literally, and matches that follow one another', () => {
    expect(splitAtTerm('a.b.', '.')).toEqual(['a', '.', 'b', '.', '']);
    expect(splitAtTerm('aaa', 'aa')).toEqual(['', 'aa', 'a']);
  });
});
