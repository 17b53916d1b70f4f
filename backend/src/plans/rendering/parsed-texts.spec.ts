import { describe, expect, it } from '@jest/globals';
import { createTextEngine, ParsedTexts } from './command-engine.js';

const engine = createTextEngine();

describe('cache of parsed texts', () => {
  it('parses a text once and renders the same each time', () => {
    const texts = new ParsedTexts(engine);
    const text = '{% for one in list %}{{ one }},{% endfor %}{{ name }}';
    const render = (scope: object) => String(engine.renderSync(texts.getParsedText(text).templates, scope));
    expect(texts.getParsedText(text)).toBe(texts.getParsedText(text));
    expect(render({ list: ['a', 'b'], name: 'x' })).toBe('a,b,x');
    expect(render({ list: [], name: 'y' })).toBe('y');
    expect(render({ list: ['a', 'b'], name: 'x' })).toBe('a,b,x');
  });

  it('evicts the least recently used texts, by size', () => {
    const texts = new ParsedTexts(engine);
    const large = (letter: string) => letter.repeat(50_000);
    const [a, b] = [texts.getParsedText(large('a')), texts.getParsedText(large('b'))];
    expect(texts.getParsedText(large('a'))).toBe(a);
    texts.getParsedText(large('c'));
    expect(texts.getParsedText(large('a'))).toBe(a);
    expect(texts.getParsedText(large('b'))).not.toBe(b);
  });

  it('evicts many short texts too', () => {
    const texts = new ParsedTexts(engine);
    const first = texts.getParsedText('first');
    for (let n = 0; n < 300; n += 1) texts.getParsedText(`${n}`);
    expect(texts.getParsedText('first')).not.toBe(first);
  });

  it('reports an invalid template each time', () => {
    const texts = new ParsedTexts(engine);
    for (let time = 0; time < 2; time += 1) expect(() => texts.getParsedText('{% if')).toThrow();
  });
});
