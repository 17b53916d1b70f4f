import { afterAll, describe, expect, it } from '@jest/globals';
import { ThreadPool } from '../../common/threads/thread-pool.js';
import { TEMPLATE_FILTERS } from './filters/known-filters.js';
import { TemplateRenderer } from './template-renderer.js';

/** Must not appear in any output. */
const CANARY = 'canary-of-the-process';
process.env.RUNWARD_TEMPLATE_CANARY = CANARY;
const SECRET = 'hunter22-hunter22';

const pool = new ThreadPool();
const renderer = new TemplateRenderer(pool).of({ tenantId: 'acme', asks: 'run' });
afterAll(() => {
  delete process.env.RUNWARD_TEMPLATE_CANARY;
  return pool.onModuleDestroy();
});

const values = [
  { name: 'text', value: 'abc', secret: false },
  { name: 'list', value: ['a', 'b'], secret: false },
  {
    name: 'json',
    value: '{"a": {"b": 1}, "__proto__": {"polluted": "yes"}, "constructor": {"name": "x"}}',
    secret: false,
  },
  { name: 'PW', value: SECRET, secret: true },
];
const facts = { host: { name: 'web-1', tags: { role: 'web' } }, steps: {} };
const ROOTS = ['text', 'list', 'host', 'host.tags', 'steps', 'forloop', 'PW', 'list[0]'];
const INHERITED = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'reveal',
  '_text',
  '#text',
];
const ELSEWHERE = [
  'process',
  'globalThis',
  'global',
  'require',
  'module',
  'this',
  'env',
  'Buffer',
  'self',
  'console',
  '__dirname',
];

const reading = [
  ...ROOTS.flatMap((root) => INHERITED.flatMap((name) => [`{{ ${root}.${name} }}`, `{{ ${root}["${name}"] }}`])),
  ...INHERITED.map((name) => `{% assign j = json | from_json %}{{ j.${name}.constructor }}`),
  ...INHERITED.map((name) => `{{ list | map: "${name}" | join: "," }}{{ list | where: "${name}" | to_json }}`),
  ...INHERITED.map(
    (name) => `{% assign j = json | from_json %}{% assign k = j | combine: j %}{{ k.${name} | to_json }}`,
  ),
  ...ELSEWHERE.flatMap((name) => [`{{ ${name} }}`, `{{ ${name}.env.RUNWARD_TEMPLATE_CANARY }}`]),
  ...[
    'include',
    'render',
    'layout',
    'block',
    'extends',
    'import',
    'capture',
    'increment',
    'tablerow',
    'liquid',
    'echo',
    'cycle',
  ].flatMap((tag) => [`{% ${tag} "/etc/passwd" %}`, `{% ${tag} '../../package.json' %}x{% end${tag} %}`]),
  ...[
    'date',
    'where_exp',
    'find',
    'group_by',
    'json',
    'inspect',
    'raw',
    'escape',
    'strip_html',
    'lookup',
    'pipe',
    'file',
    'password_hash',
  ].map((filter) => `{{ text | ${filter}: "/etc/passwd" }}`),
  ...TEMPLATE_FILTERS.flatMap((filter) => [
    `{{ PW | ${filter} | slice: 0, 3 }}`,
    `{{ text | ${filter}: PW }}`,
    `{{ list | ${filter}: PW, PW }}`,
  ]),
  ...['==', '!=', '<', '>', '<=', '>=', 'contains'].flatMap((sign) => [
    `{% if PW ${sign} "h" %}y{% endif %}`,
    `{% if "h" ${sign} PW %}y{% endif %}`,
  ]),
  '{% for c in PW %}{{ c }}{% endfor %}',
  '{% for c in (1..PW) %}{{ c }}{% endfor %}',
  '{{ list[PW] }}',
  '{{ host[PW] }}',
  '{% assign x = PW %}{{ x | append: "" }}',
  '{% case text %}{% when PW %}{% endcase %}',
  '{{ "!!js/function \\"function(){}\\"" | from_yaml }}',
  '{{ "!!js/undefined x" | from_yaml }}',
  '{{ "a: !!binary aGk=" | from_yaml | to_json }}',
  '{{ "<<: {__proto__: {x: 1}}" | from_yaml | to_json }}',
];

const repeatFilter = (filter: string, times: number) =>
  `{% assign x = "${'a'.repeat(100)}" %}${`{% assign x = x | ${filter} %}`.repeat(times)}{{ x }}`;
const costly = [
  '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}',
  '{% for a in (1..100000000) %}{% endfor %}',
  '{% assign r = (1..1000000000) %}{{ r | join: "" }}',
  '{% for a in (1..5000) %}{{ a | times: 3 | append: "xxxxxxxxxx" | b64encode | hash }}{% for b in (1..5000) %}{% endfor %}{% endfor %}',
  repeatFilter('append: x', 40),
  repeatFilter('replace: "a", x', 10),
  repeatFilter('split: "" | join: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"', 12),
  repeatFilter('to_json | to_json', 60),
  repeatFilter('b64encode', 60),
  repeatFilter('quote', 60),
  repeatFilter('url_encode', 60),
  repeatFilter('indent: 100 | append: x', 30),
  repeatFilter('regex_replace: "a", "aaaaaaaaaaaaaaaa"', 12),
  repeatFilter('comment: "aaaaaaaaaaaaaaaaaaaaaaaaa" | append: x', 30),
  `{% assign l = "a,b" | split: "," %}${'{% assign l = l | concat: l %}'.repeat(40)}{{ l | size }}`,
  `{% assign l = "a,b" | split: "," %}${'{% assign l = l | union: l | concat: l %}'.repeat(40)}{{ l | size }}`,
  `{{ "${'['.repeat(100_000)}" | from_json }}`,
  `{{ "${'['.repeat(5_000)}${']'.repeat(5_000)}" | from_json | flatten | to_json }}`,
  `{{ "${'[ '.repeat(20_000)}" | from_yaml }}`,
  `{{ "${'- '.repeat(20_000)}a" | from_yaml | to_json }}`,
  `{{ "a: &a [x,x,x,x,x,x,x,x,x]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b,*b]\\nd: &d [*c,*c,*c,*c,*c,*c,*c]\\ne: &e [*d,*d,*d,*d,*d,*d,*d]\\nf: [*e,*e,*e,*e,*e,*e]" | from_yaml | to_json }}`,
  '{{ "a: &a [*a]" | from_yaml | to_json }}',
  '{% if text %}'.repeat(18_000),
  `{{ text ${'| upcase '.repeat(20_000)}}}`,
  `{{ text${'.a'.repeat(50_000)} }}`,
  `{% if ${'text and '.repeat(20_000)}text %}{% endif %}`,
];
const long = 'a'.repeat(60_000);
const patterns = [
  ...[
    '(a+)+$',
    '(a|a)*$',
    '(a|aa)+$',
    '(.*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
    '(a*)*b',
    '(?:a{0,30}){30}b',
    '([a-zA-Z]+)*!',
  ],
  ...[
    '(?=a)',
    '(?!a)',
    '(a)\\\\1',
    'a++',
    '(?>a)',
    '((a{1000}){1000}){1000}',
    'x{1001}',
    '(?R)',
    '(?C1)',
    '[',
    '(',
    '*',
    '\\\\',
  ],
  ...['(?i)k', '\\\\pL+', '[[:alpha:]]+', '(?P<n>a)', '(?<n>a)', '\\\\Q(\\\\E', '^$', '', '.*', '(?s).'],
].flatMap((pattern) => [
  `{{ "${long}b" | regex_replace: '${pattern}', 'c' | size }}`,
  `{{ "${long}b" | regex_search: '${pattern}' | size }}`,
  `{{ "${long}b" | regex_findall: '${pattern}' | size }}`,
]);

const outcome = (content: string) =>
  renderer.render({ content, values, facts, secrets: 'shown' }).then(
    (text) => ({ text, code: null, message: '' }),
    (error: Error & { code?: string }) => ({ text: null, code: error.code ?? 'unknown', message: error.message }),
  );
const CODES = ['invalid_template', 'undefined_variable', 'secret_in_expression', 'too_much', 'invalid_value', null];

describe('hostile templates', () => {
  it(`read only values that they were given (${reading.length} cases)`, async () => {
    const escapes: string[] = [];
    const outcomes = await Promise.all(reading.map(outcome));
    for (const [index, { text, code, message }] of outcomes.entries()) {
      const output = `${text ?? ''}${message.replace(reading[index] ?? '', '')}`;
      const leaks = [CANARY, 'root:', 'native code', '[object', 'function', SECRET.slice(0, 3)].some((mark) =>
        output.replace(/Line \d+, column \d+: in \{\{[^}]*\}\}/, '').includes(mark),
      );
      // The author may print the whole secret, but no part of it.
      const whole = text !== null && text.replaceAll(SECRET, '') === '';
      if ((leaks && !whole) || !CODES.includes(code))
        escapes.push(`${reading[index]} => ${code} ${output.slice(0, 200)}`);
    }
    expect(escapes).toEqual([]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it(`end or are stopped, and the next template is rendered (${costly.length + patterns.length} cases)`, async () => {
    const outcomes = await Promise.all([...costly, ...patterns].map(outcome));
    expect(outcomes.filter(({ code, text }) => !CODES.includes(code) || (text ?? '').length > 2_000_000)).toEqual([]);
    expect(await outcome('{{ text }}')).toMatchObject({ text: 'abc' });
  });
});
