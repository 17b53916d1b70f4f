import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { renderComponent } from '../../../../../test/render';
import { toLogWindow } from '../log/log-window';
import { toRows } from '../log/log-rows';
import type { Line } from './line';
import { OutputLine } from './OutputLine';

const ESC = '\u001b';

const LINE: Line = {
  ...{ stepKey: 's', serverId: 'v', serverName: 'web-1', stream: 'stdout', number: 7 },
  ...{ text: '', at: '2026-03-14T02:00:00Z' },
};

function show(text: string, { raw = false, searchTerm = '' } = {}): HTMLElement {
  const line = { ...LINE, text };
  renderComponent(
    <OutputLine
      {...{ line, raw, searchTerm, origin: null, marked: false }}
      timeOf={() => null}
      onSelectLine={() => undefined}
    />,
  );
  return screen.getByTestId('output-line');
}

// eslint-disable-next-line no-control-regex -- what must never reach the page
const ACTIVE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Elements and styles that a line may have. */
function expectHarmless(line: HTMLElement): void {
  expect(line.textContent).not.toMatch(ACTIVE);
  for (const element of line.querySelectorAll('*')) {
    expect(['SPAN', 'BUTTON', 'MARK']).toContain(element.tagName);
    for (const name of (element as HTMLElement).style) expect(name).toMatch(/^(background(-.+)?|color)$/);
  }
}

describe('hostile output', () => {
  it('of 5,000 escape sequences stays in its line', () => {
    const sequences = [
      ...['[2J', '[H', '[1000;1000H', '[?1049h', '[8m', '[5m', 'c', '(0', '[38;5;999m', '[38;2;999;-1;4m', '[48;5m'],
      ...[']0;title\u0007', ']8;;javascript:alert(1)\u0007link', ']52;c;QUJD\u0007', 'P1;1|17/ab', '[m', '[31;1;4;9m'],
    ];
    const text = Array.from({ length: 5_000 }, (_, index) => `${ESC}${sequences[index % sequences.length]}x`).join('');
    const line = show(text);
    expectHarmless(line);
    expect(line.querySelector('a')).toBeNull();
  });

  it('of 5,000 random parts of sequences, also cut off and with lone surrogates, has no markup and loses no text', () => {
    const parts = [
      ...[
        ESC,
        `${ESC}[`,
        `${ESC}[31m`,
        `${ESC}[38;5;`,
        `${ESC}]8;;javascript:x`,
        `${ESC}P1|`,
        '\u009b1m',
        '\ud83d',
        '\ude80',
      ],
      ...[
        '\u0000',
        '\b',
        '\u202e',
        '\u2066',
        '\ufeff',
        '<img src=x onerror=alert(1)>',
        '</span>',
        '&lt;',
        'm',
        ';1',
        'א',
        'word',
      ],
    ];
    let state = 35;
    const pick = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return parts[(state >>> 16) % parts.length] ?? '';
    };
    for (let line = 0; line < 100; line += 1) {
      document.body.replaceChildren();
      const text = Array.from({ length: 50 }, pick).join('');
      const element = show(`${text}end`, { raw: true, searchTerm: 'word' });
      expectHarmless(element);
      expect(element.querySelectorAll('img, a')).toHaveLength(0);
      expect(element.textContent.match(/word|<img src=x onerror=alert\(1\)>|<\/span>|&lt;|end/g)).toEqual(
        `${text}end`.match(/word|<img src=x onerror=alert\(1\)>|<\/span>|&lt;|end/g),
      );
    }
  });

  it('with NUL, C1 codes and text that reverses the direction is visible as such', () => {
    const line = show('a\u0000b\u009b31mc \u202egnp.exe\u202c \u2066x שלום مرحبا');
    expectHarmless(line);
    expect(line.textContent).toContain('a␀b‹U+009B›31mc ‹U+202E›gnp.exe‹U+202C› ‹U+2066›x שלום مرحبا');
  });

  it('with an escape sequence that the output limit cut ends with its line', () => {
    for (const cut of [ESC, `${ESC}[`, `${ESC}[38;5`, `${ESC}]8;;http://x`, `${ESC}[31m${ESC}[4`]) {
      document.body.replaceChildren();
      expectHarmless(show(`before${cut}`));
    }
    document.body.replaceChildren();
    expect(show('after').querySelectorAll('[style]')).toHaveLength(0);
  });

  it('is not read as markup, also in matches of a search', () => {
    const line = show('<img src=x onerror=alert(1)><b>bold', { searchTerm: '<b>' });
    expectHarmless(line);
    expect(line.querySelector('mark')?.textContent).toBe('<b>');
  });

  it('of 20 MB in one line shows its beginning, and is folded only with lines that are whole', () => {
    const text = 'y'.repeat(16_384);
    const block = { step: 0, host: 0, stream: 'stdout', at: '2026-03-14T02:00:00Z' } as const;
    const { lines } = toLogWindow({
      ...{
        steps: ['s'],
        hosts: [{ serverId: 'v', serverName: 'web-1' }],
        previous: null,
        next: null,
        first: 1,
        last: 4,
      },
      blocks: [{ ...block, position: 1, line: 1, lines: [text, text, text, text], truncated: [0, 1, 2, 3] }],
    });
    expect(toRows(lines, { toggled: new Set(), visible: null })).toHaveLength(4);
    expectHarmless(show(text));
  });
});

describe('a progress bar', () => {
  it('shows its last state, and all states as raw text', () => {
    expect(show('10%\r50%\r100%\r').textContent).toBe('7100%');
    document.body.replaceChildren();
    expect(show('10%\r50%\r100%\r', { raw: true }).textContent).toBe('710%␍50%␍100%␍');
  });
});

describe('folded lines', () => {
  it('are opened by a button that says how many there are', async () => {
    const onToggle = vi.fn();
    const line = { ...LINE, text: 'wait' };
    const toggles = { from: 7, to: 1006 };
    const { user } = renderComponent(
      <OutputLine
        {...{ line, raw: false, searchTerm: '', origin: null, marked: false, onToggle }}
        hidden={{ kind: 'equal', count: 999, isOpen: false, toggles }}
        timeOf={() => null}
        onSelectLine={() => undefined}
      />,
    );
    const button = screen.getByRole('button', { name: 'Show 999 more equal lines' });
    expect(button.textContent).toBe('× 1,000');
    await user.click(button);
    expect(onToggle).toHaveBeenCalledWith(toggles);
  });
});
