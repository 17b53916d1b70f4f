import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addCutTitles } from './cut-titles';

let removeTitles: () => void;

function addBox(html: string, widths: { text: number; box: number }): HTMLElement {
  document.body.innerHTML = html;
  const box = document.querySelector<HTMLElement>('.cut');
  if (!box) throw new Error('No element has the class cut.');
  box.style.textOverflow = 'ellipsis';
  setWidths(box, widths);
  return box;
}

function setWidths(box: HTMLElement, { text, box: width }: { text: number; box: number }): void {
  Object.defineProperty(box, 'scrollWidth', { value: text, configurable: true });
  Object.defineProperty(box, 'clientWidth', { value: width, configurable: true });
}

const hover = (element: Element) => element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));

describe('titles of cut texts', () => {
  beforeEach(() => {
    removeTitles = addCutTitles(document.body);
  });
  afterEach(() => removeTitles());

  it('have the whole text, also if the pointer is over an element inside', () => {
    const box = addBox('<div class="cut"><b>a long name</b></div>', { text: 200, box: 80 });
    hover(box.querySelector('b') ?? box);
    expect(box.title).toBe('a long name');
  });

  it('disappear when the text fits', () => {
    const box = addBox('<div class="cut">a long name</div>', { text: 200, box: 80 });
    hover(box);
    setWidths(box, { text: 80, box: 80 });
    hover(box);
    expect(box.hasAttribute('title')).toBe(false);
  });

  it('leave a title of the component alone', () => {
    const box = addBox('<div class="cut" title="of the component">a long name</div>', { text: 200, box: 80 });
    hover(box);
    expect(box.title).toBe('of the component');
  });

  it('show the value of a field, but never a password', () => {
    const field = addBox('<input class="cut" value="a long name" />', { text: 200, box: 80 });
    hover(field);
    expect(field.title).toBe('a long name');
    const password = addBox('<input class="cut" type="password" value="secret" />', { text: 200, box: 80 });
    hover(password);
    expect(password.hasAttribute('title')).toBe(false);
  });
});
