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

describe('a template', () => {
  it('puts values in as they are, and leaves the rest byte for byte', async () => {
    expect(await render('listen {{ port }};\r\n\t# {{ name }}\n\n')).toBe(`listen 8080;\r\n\t# a "b" 'c' <d> & $e\n\n`);
    expect(await render('')).toBe('');
    expect(await render('{% raw %}{{ x }}{% endraw %} 100% {a} }}')).toBe('{{ x }} 100% {a} }}');
  });

  it('has conditions, loops and filters, with the names of Ansible too', async () => {
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

  it('knows its host and what earlier steps came to', async () => {
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
  ])('is refused for %j, with the line and what to do', async (content, code, message) => {
    const error = await refusal(content);
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('a secret in a template', () => {
  it('stands in the file for the host, and as its mask in what people see', async () => {
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
  ])('cannot be looked into by %j', async (content) => {
    for (const secrets of ['shown', 'masked'] as const) {
      const error = await refusal(content, secrets);
      expect(error.code).toBe('secret_in_expression');
      expect(error.message).not.toContain('hunter"2');
    }
  });

  it.each(['{{ PASSWORD.size }}', '{{ PASSWORD[0] }}', '{{ PASSWORD.reveal }}', '{{ PASSWORD.first }}'])(
    'has no field that %j could read',
    async (content) => {
      const text = await render(content).catch((error: Error) => error.message);
      expect(text).not.toContain('hunter');
      expect(text).not.toBe('8');
    },
  );
});

describe('the thread of the templates', () => {
  it('is stopped with what takes too long, and renders the next one', async () => {
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

  it('answers each of many callers what that one asked', async () => {
    const asked = Array.from({ length: 50 }, (_, index) => (index % 7 === 0 ? '{{ x }}' : `${index} {{ port }}`));
    const answers = await Promise.all(asked.map((content) => render(content).catch(() => null)));
    expect(answers).toEqual(asked.map((content, index) => (content === '{{ x }}' ? null : `${index} 8080`)));
  });
});

describe('a difference', () => {
  const labels = ['now', 'after'] as const;
  const lines = (count: number, text: (line: number) => string) =>
    Array.from({ length: count }, (_, line) => `${text(line)}\n`).join('');
  /** A renderer that says what it hands to a thread. */
  const counting = () => {
    const handed: unknown[] = [];
    const threads = { perTenant: 1, run: (_job: unknown, input: unknown) => Promise.resolve(void handed.push(input)) };
    const of = new TemplateRenderer(threads as unknown as ThreadPool).of({ tenantId: 'acme', asks: 'run' });
    return {
      handed,
      compare: (before: string, after: string) => of.compare({ path: '/etc/x', before, after, labels }),
    };
  };

  it('of two short texts is the same as a thread finds, and costs none', async () => {
    const texts = { before: lines(100, String), after: lines(100, (line) => `${line === 50 ? 'x' : line}`) };
    const { handed, compare } = counting();
    const patch = await compare(texts.before, texts.after);
    expect(handed).toEqual([]);
    expect(patch).toContain('-50\n+x\n');
    const { default: inThread } = await import('./compare-thread.js');
    expect(patch).toBe(inThread({ path: '/etc/x', ...texts, labels, timeoutMs: 2000 }));
  });

  it.each([
    ['of long texts', lines(3000, (line) => `line ${line}`), lines(3000, (line) => `line ${line} `)],
    ['of many lines', lines(1200, String), lines(1200, (line) => `${line}.`)],
    ['of short texts that differ much', lines(490, (line) => `${line * 7}`), lines(490, (line) => `x${line % 7}`)],
  ])('%s is left to a thread', async (_what, before, after) => {
    const { handed, compare } = counting();
    await compare(before, after);
    expect(handed).toHaveLength(1);
  });

  it('hides earlier values of secrets, in short texts and in long ones', async () => {
    for (const count of [3, 5000]) {
      const before = `${lines(count, String)}password: old\n`;
      const after = `${lines(count, String)}password: ‹secret PASSWORD›\n`;
      const patch = await renderer.compare({ path: '/etc/x', before, after, labels });
      expect(patch).toContain('-password: ‹not shown: earlier secret›');
      expect(patch).not.toContain('old');
    }
  });
});
