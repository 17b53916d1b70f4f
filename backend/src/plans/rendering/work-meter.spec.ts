import { describe, expect, it } from '@jest/globals';
import { leastCpuMs } from '../../../test/support/longest-gap.js';
import { findCommandNeeds, type CommandValue, renderCommand } from './render-command.js';
import { evaluateCondition } from './condition.js';
import { getParsingCost, TooMuchWorkError, WorkMeter } from './work-meter.js';

const VALUES: CommandValue[] = [
  { name: 'word', value: 'x', secret: false },
  { name: 'long', value: "it's ".repeat(6500), secret: false },
  { name: 'list', value: Array.from({ length: 1000 }, (_, index) => `item ${index}`), secret: false },
];
const MAX_TEXT_LENGTH = 65_000;
const filled = (begin: string, part: string, end: string) =>
  begin + part.repeat(Math.floor((MAX_TEXT_LENGTH - begin.length - end.length) / part.length)) + end;

const EXPENSIVE_TEMPLATES: Record<string, string> = {
  'nested loops': '{% for i in (1..900) %}{% for j in (1..900) %}{{ j }}{% endfor %}{% endfor %}',
  'a loop over a wide range': '{% for i in (1..1000000) %}{% endfor %}',
  'loops over lists': '{% for i in list %}{% for j in list %}{{ j }}{% endfor %}{% endfor %}',
  'the size of a long text': filled('', '{% assign b = long | size %}', ''),
  'hashes of a long text': filled('', '{{ long | hash }}', ''),
  'upper case of a long text': filled('', '{% assign b = long | upcase %}', ''),
  'JSON of a list': filled('', '{% assign b = list | to_json %}', ''),
  'a list that is sorted': filled('', '{% assign b = list | sort %}', ''),
  'a text that is split': filled('', '{% assign b = long | split: "" %}', ''),
  'texts that are replaced': filled('', `{% assign b = long | replace: "'", "x" %}`, ''),
  'lists that are compared': filled('', '{% if list == list %}{% endif %}', ''),
  'a word that is looked for in a list': filled('', '{% if list contains "none" %}{% endif %}', ''),
  'a word that is looked for in a text': filled('', '{% if long contains "none" %}{% endif %}', ''),
  'a text that doubles': '{% assign b = long %}{% for i in (1..40) %}{% assign b = b | append: b %}{% endfor %}',
  'long values in quotes': filled('', '{{ long }}', ''),
  'many values': filled('', '{{ word }}', ''),
  'many raw values': filled('', '{{ word | raw }} ', ''),
  'a long chain of filters': filled('{{ word', ' | upcase', ' }}'),
  'a filter with many arguments': filled('{{ word | append: word', ', word', ' }}'),
  'a long condition': filled('{% if word', ' and word == word', ' %}{% endif %}'),
  'a tag that hides its length': filled('{{ "}}" | append: word', ', word', ' }}'),
};

describe('operations of a text', () => {
  it.each(Object.keys(EXPENSIVE_TEMPLATES))('stop its evaluation at the limit: %s', (name) => {
    const text = EXPENSIVE_TEMPLATES[name] ?? '';
    const stopped = (repetition: number) =>
      expect(() => renderCommand(text + ' '.repeat(repetition), VALUES, undefined, new WorkMeter(2_000))).toThrow(
        TooMuchWorkError,
      );
    // Uncounted work would cost far more than 2,000 operations.
    expect(leastCpuMs(stopped)).toBeLessThan(60);
  });

  it('are the same each time, and zero for parsing a cached text', () => {
    const text = '{% for i in list %}{{ i }}{% endfor %} again';
    const [first, second, third] = [1, 2, 3].map(() => {
      const meter = new WorkMeter();
      renderCommand(text, VALUES, undefined, meter);
      return meter.operations;
    });
    expect(second).toBe(third);
    expect(first).toBeCloseTo((second ?? 0) + getParsingCost(text), 6);
  });

  it('are few for usual texts', () => {
    const meter = new WorkMeter(100);
    renderCommand('systemctl restart {{ word }} && echo {{ word | upcase }}', VALUES, undefined, meter);
    const facts = { host: { name: 'web', tags: { role: 'web' } }, steps: {} };
    expect(evaluateCondition('host.tags.role == "web" and word', { values: VALUES, facts }, meter)).toBe(true);
    expect(findCommandNeeds('echo {{ host.name }}', VALUES, meter)).toEqual({ host: true, steps: false });
    expect(meter.isExceeded).toBe(false);
  });
});
