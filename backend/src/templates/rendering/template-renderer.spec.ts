import { afterAll, describe, expect, it } from '@jest/globals';
import { ThreadPool } from '../../common/threads/thread-pool.js';
import { TemplateRenderer } from './template-renderer.js';
import type { TemplateFacts, TemplateValue } from './template-request.js';

const pool = new ThreadPool();
const renderer = new TemplateRenderer(pool).of({ tenantId: 'acme', asks: 'run' });
afterAll(() => pool.onModuleDestroy());

const VALUES: TemplateValue[] = [
  { name: 'port', value: 8080, secret: false },
  { name: 'name', value: `a "b" 'c' <d> & $e`, secret: false },
  { name: 'hosts', value: ['a', 'b'], secret: false },
  { name: 'none', value: null, secret: false },
  { name: 'PASSWORD', value: 'hunter"2', secret: true },
  { name: 'TOKEN', value: null, secret: true },
];
const FACTS: TemplateFacts = {
  host: { name: 'web-1', tags: { role: 'web' } },
  steps: { build: { status: 'SUCCEEDED', exitCode: null, outputs: { version: '7' } } },
};
const render = (content: string, secrets: 'shown' | 'masked' = 'shown', facts: TemplateFacts = FACTS) =>
  renderer.render({ content, values: VALUES, facts, secrets });
const refusal = async (content: string, secrets: 'shown' | 'masked' = 'shown') => {
  const error: unknown = await render(content, secrets).catch((reason: unknown) => reason);
  return error as { code: string; message: string };
};

describe('template', () => {
  it('inserts values unescaped and keeps all other bytes', async () => {
    expect(await render('listen {{ port }};\r\n\t# {{ name }}\n\n')).toBe(`listen 8080;\r\n\t# a "b" 'c' <d> & $e\n\n`);
    expect(await render('')).toBe('');
    expect(await render('{% raw %}{{ x }}{% endraw %} 100% {a} }}')).toBe('{{ x }} 100% {a} }}');
  });

  it('supports conditions, loops and filters, also with Ansible’s names', async () => {
    expect(
      await render('{% for h in hosts %}{% unless forloop.first %},{% endunless %}{{ h | upper }}{% endfor %}'),
    ).toBe('A,B');
    expect(await render(`{{ hosts | join: ', ' }} {{ hosts | length }} {{ hosts | to_json }}`)).toBe(
      'a, b 2 ["a","b"]',
    );
    expect(await render(`{% if port == 8080 %}yes{% else %}no{% endif %} {{ 'a\nb\n\nc\n' | indent: 2 }}`)).toBe(
      'yes a\n  b\n\n  c\n',
    );
    expect(await render(`{{ nothing | default: 'x' }} {% if nothing %}1{% else %}2{% endif %}`)).toBe('x 2');
  });

  it('can use facts of the host and results of earlier steps', async () => {
    expect(await render('{{ host.name }} {{ host.tags.role }} {{ steps.build.outputs.version }}')).toBe('web-1 web 7');
    expect(await renderer.check('{{ host.name }} {% if steps.a.changed %}{% endif %}{{ x }}')).toEqual({
      host: true,
      steps: true,
      names: ['host', 'steps', 'x'],
    });
    expect((await refusal('{{ steps.build.exitCode }}')).message).toContain('steps.build.exitCode');
  });

  it.each([
    ['a\n{{ prot }}', 'undefined_variable', 'Line 2, column 4: there is no value for "prot"'],
    ['{{ none }}', 'undefined_variable', '"none"'],
    ['{{ host.tags.zone }}', 'undefined_variable', '"host.tags.zone"'],
    ['{{ port.constructor }}', 'undefined_variable', 'port.constructor'],
    ['{{ constructor }}', 'undefined_variable', 'constructor'],
    ['{{ hosts }}', 'invalid_value', 'This is a list'],
    ['{{ host }}', 'invalid_value', 'neither a text nor a number'],
    ['{% if port %}', 'invalid_template', 'Line 1, column 1: '],
    ['{% include "/etc/passwd" %}', 'invalid_template', '{% include %} cannot be used here'],
    ['{{ port | raw }}', 'invalid_template', 'there is no filter "raw"'],
    ['{{ "now" | date: "%s" }}', 'invalid_template', 'there is no filter "date"'],
    ['{% capture x %}{{ PASSWORD }}{% endcapture %}', 'invalid_template', 'capture'],
  ])('is refused for %j, with the line and advice', async (content, code, message) => {
    const error = await refusal(content);
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('secret in a template', () => {
  it('is written to the file for the host, and masked for people', async () => {
    const content = '{{ PASSWORD }} {{ PASSWORD | to_json }} {{ PASSWORD | b64encode }} {{ PASSWORD | url_encode }}';
    expect(await render(content)).toBe('hunter"2 "hunter\\"2" aHVudGVyIjI= hunter%222');
    const mask = '‹secret PASSWORD›';
    expect(await render(content, 'masked')).toBe([mask, mask, mask, mask].join(' '));
    expect(await render('{% if PASSWORD %}set{% endif %} {{ TOKEN }}', 'masked')).toBe('set ‹secret TOKEN›');
  });

  it.each([
    '{{ PASSWORD | upcase }}',
    '{{ PASSWORD | size }}',
    '{{ PASSWORD | slice: 0 }}',
    '{{ "a" | append: PASSWORD }}',
    '{{ "hunter" | replace: PASSWORD, "" }}',
    '{{ hosts | concat: PASSWORD }}',
    '{% if PASSWORD == "hunter" %}{% endif %}',
    '{% if "hunter" == PASSWORD %}{% endif %}',
    '{% if PASSWORD > "a" %}{% endif %}',
    '{% if PASSWORD contains "h" %}{% endif %}',
    '{% case PASSWORD %}{% when "hunter" %}{% endcase %}',
    '{% for c in PASSWORD %}{{ c }}{% endfor %}',
    '{% assign x = PASSWORD | downcase %}',
    '{% assign x = PASSWORD %}{{ x | strip }}',
  ])('is refused in %j', async (content) => {
    for (const secrets of ['shown', 'masked'] as const) {
      const error = await refusal(content, secrets);
      expect(error.code).toBe('secret_in_expression');
      expect(error.message).not.toContain('hunter"2');
    }
  });

  it.each(['{{ PASSWORD.size }}', '{{ PASSWORD[0] }}', '{{ PASSWORD.reveal }}', '{{ PASSWORD.first }}'])(
    'has no readable field: %j',
    async (content) => {
      const text = await render(content).catch((error: Error) => error.message);
      expect(text).not.toContain('hunter');
      expect(text).not.toBe('8');
    },
  );
});

describe('template thread', () => {
  it('is stopped if a template takes too long; the next one is rendered', async () => {
    const loops =
      '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}';
    expect((await refusal(loops)).code).toBe('too_much');
    expect(
      (await refusal(`{% assign x = 'aaaaaaaaaa' %}${"{% assign x = x | replace: 'a', x %}".repeat(9)}{{ x }}`)).code,
    ).toBe('too_much');
    expect((await refusal(`{{ "${'a'.repeat(250_000)}" | split: "" | join: "${'b'.repeat(1000)}" }}`)).code).toBe(
      'too_much',
    );
    expect(await render('{{ port }}')).toBe('8080');
  });

  it('returns each of many concurrent requests its own result', async () => {
    const contents = Array.from({ length: 50 }, (_, index) => (index % 7 === 0 ? '{{ x }}' : `${index} {{ port }}`));
    const answers = await Promise.all(contents.map((content) => render(content).catch(() => null)));
    expect(answers).toEqual(contents.map((content, index) => (content === '{{ x }}' ? null : `${index} 8080`)));
  });
});

describe('comparison of texts', () => {
  const labels = ['now', 'after'] as const;
  const lines = (count: number, text: (line: number) => string) =>
    Array.from({ length: count }, (_, line) => `${text(line)}\n`).join('');
  const counting = () => {
    const jobs: unknown[] = [];
    const threads = { perTenant: 1, run: (_job: unknown, input: unknown) => Promise.resolve(void jobs.push(input)) };
    const of = new TemplateRenderer(threads as unknown as ThreadPool).of({ tenantId: 'acme', asks: 'run' });
    return {
      jobs,
      compare: (before: string, after: string) => of.compare({ path: '/etc/x', before, after, labels }),
    };
  };

  it('needs no thread for two short texts, with the same result', async () => {
    const texts = { before: lines(100, String), after: lines(100, (line) => `${line === 50 ? 'x' : line}`) };
    const { jobs, compare } = counting();
    const patch = await compare(texts.before, texts.after);
    expect(jobs).toEqual([]);
    expect(patch).toContain('-50\n+x\n');
    const { default: inThread } = await import('./compare-thread.js');
    expect(patch).toBe(inThread({ path: '/etc/x', ...texts, labels, timeoutMs: 2000 }));
  });

  it.each([
    ['of long texts', lines(3000, (line) => `line ${line}`), lines(3000, (line) => `line ${line} `)],
    ['of many lines', lines(1200, String), lines(1200, (line) => `${line}.`)],
    ['of short texts that differ much', lines(490, (line) => `${line * 7}`), lines(490, (line) => `x${line % 7}`)],
  ])('%s needs a thread', async (_what, before, after) => {
    const { jobs, compare } = counting();
    await compare(before, after);
    expect(jobs).toHaveLength(1);
  });

  it('hides earlier values of secrets in short and long texts', async () => {
    for (const count of [3, 5000]) {
      const before = `${lines(count, String)}password: old\n`;
      const after = `${lines(count, String)}password: ‹secret PASSWORD›\n`;
      const patch = await renderer.compare({ path: '/etc/x', before, after, labels });
      expect(patch).toContain('-password: ‹not shown: earlier secret›');
      expect(patch).not.toContain('old');
    }
  });
});
