import { describe, expect, it } from '@jest/globals';
import { COMMAND_FILTERS } from '../../plans/rendering/command-engine.js';
import { leastCpuMs } from '../../../test/support/longest-gap.js';
import { TEMPLATE_FILTERS } from './filters/known-filters.js';
import { jinjaFaults } from './jinja-syntax.js';
import answerRequest from './template-thread.js';
import { positionOf } from './thread-faults.js';

const LIMITS = { renderMs: 1000, memory: 100_000, length: 100_000, jobMs: 1000, jobLength: 100_000 };
const faultsIn = (text: string, filters = TEMPLATE_FILTERS) =>
  jinjaFaults(text, filters).map(({ offset, message }) => `${positionOf(text, offset).line}: ${message}`);

/** Typical Jinja texts, the expected faults, and the Liquid form when the faults name all of it. */
const PASTED: Record<string, { jinja: string; faults: [line: number, part: string][]; liquid?: string }> = {
  'the case from the field': {
    jinja: `listen {{ port | default(8080) }};
{% set workers = cpus | int %}
{% for k, v in options.items() %}{{ k }}={{ v }}{% endfor %}
mode {{ 'a' if tls else 'b' }} {{ hosts | map('upper') | join(',') }} {%- if x is defined %}x{% endif -%}`,
    faults: [
      [1, '| default: 8080'],
      [2, '{% assign workers = cpus | int %}'],
      [3, '{% for pair in options %} and pair[0], pair[1]'],
      [4, "{{ tls | ternary: 'a', 'b' }}"],
      [4, '{% for item in list %}{{ item | upper }}{% endfor %}'],
      [4, "| join: ','"],
      [4, 'Write "x" in place of "x is defined"'],
    ],
    liquid: `listen {{ port | default: 8080 }};
{% assign workers = cpus | int %}
{% for pair in options %}{{ pair[0] }}={{ pair[1] }}{% endfor %}
mode {{ tls | ternary: 'a', 'b' }} {% for item in hosts %}{{ item | upper }}{% endfor %} {%- if x %}x{% endif -%}`,
  },
  'a virtual host of nginx': {
    jinja: `{# Ansible managed #}
server {
  listen {{ http_port | d(80) }}{% if ssl is defined and ssl %} ssl{% endif %};
  server_name {{ server_names | join(' ') }};
{% for location in locations if location.enabled %}
  location {{ location.path }} { proxy_pass {{ location.get('upstream', 'http://app') }}; }
{% endfor %}
{% elif x %}
}`,
    faults: [
      [1, '{% comment %}'],
      [3, '| default: 80'],
      [3, 'Write "ssl" in place of "ssl is defined"'],
      [4, "| join: ' '"],
      [5, '{% for location in locations %}{% if location.enabled %}'],
      [6, "location['upstream'] | default: 'http://app'"],
      [8, '{% elsif x %}'],
    ],
  },
  'a systemd unit': {
    jinja: `[Service]
User={{ app_user | default('app', true) }}
Environment="JAVA_OPTS={{ '-Xmx' ~ heap_mb ~ 'm' }}"
ExecStart={{ java_home if java_home is defined else '/usr' }}/bin/java
Restart={{ restart if restart in ['always', 'no'] else 'on-failure' }}`,
    faults: [
      [2, "| default: 'app'"],
      [3, "'-Xmx' | append: heap_mb"],
      [4, '{% if java_home is defined %}{{ java_home }}{% else %}/usr{% endif %}'],
      [4, 'Write "java_home" in place of'],
      [5, '{% if'],
      [5, 'contains restart'],
      [5, 'list literals'],
    ],
  },
  'hosts of an inventory': {
    jinja: `{% for host in groups['web'] %}
{{ hostvars[host]['ansible_host'] }} {{ host }}{% if not loop.last %},{% endif %}
{% endfor %}
{{ ansible_facts['default_ipv4'] }} {{ lookup('env', 'HOME') }}`,
    faults: [
      [2, 'There is no hostvars'],
      [2, 'Write forloop.last'],
      [4, 'host.facts.NAME'],
      [4, 'lookup() reads from the machine that Ansible runs on'],
    ],
  },
  'a configuration of HAProxy': {
    jinja: `{% macro backend(name) -%}
backend {{ name }}
{%- endmacro %}
{% for s in servers %}
  server s{{ loop.index }} {{ s.ip }}:{{ s.port + 1 }} weight {{ loop.revindex0 }}
{% endfor %}
{{ backend('app') }}`,
    faults: [
      [1, 'Liquid has no macros'],
      [5, 'forloop.index'],
      [5, 's.port | plus: 1'],
      [5, 'forloop.rindex0'],
      [7, 'Liquid has no functions such as backend()'],
    ],
  },
  'templates that build on one another': {
    jinja: `{% extends "base.conf.j2" %}
{% import 'macros.j2' as m %}
{% block content %}{{ super() }}{% endblock %}
{% include 'tail.j2' %}`,
    faults: [
      [1, '{% extends %}: A template contains no other template'],
      [2, '{% import %}'],
      [3, '{% block %}'],
      [3, 'no functions such as super()'],
      [4, '{% include %}'],
    ],
  },
  'JSON of a service': {
    jinja: `{ "users": {{ users | map(attribute='name') | list | tojson }},
  "debug": {{ debug | bool | to_json(indent=2) }},
  "admins": {{ users | selectattr('role', 'equalto', 'admin') | list | length }} }`,
    faults: [
      [1, "| map: 'name'"],
      [1, 'Leave out "| list"'],
      [1, '| to_json in place of | tojson'],
      [2, '| to_json: indent: 2'],
      [3, "| where: 'role', 'admin'"],
      [3, 'Leave out "| list"'],
    ],
    liquid: `{ "users": {{ users | map: 'name' | to_json }},
  "debug": {{ debug | bool | to_json: indent: 2 }},
  "admins": {{ users | where: 'role', 'admin' | length }} }`,
  },
  'conditions of all kinds': {
    jinja: `{% if a is not none and b is undefined %}1{% endif %}
{% if name not in names %}2{% endif %}
{% if name in names and (a or b) %}3{% endif %}
{% if mode == None or on == True %}4{% endif %}
{% if x is string %}5{% endif %}`,
    faults: [
      [1, 'Write "a" in place of "a is not none"'],
      [1, 'Write "not b" in place of "b is undefined"'],
      [2, '{% unless names contains name %}'],
      [3, '"names contains name"'],
      [3, 'no brackets in conditions'],
      [4, 'nil in place of None'],
      [4, 'true in place of True'],
      [5, 'no test "is string"'],
    ],
  },
  'methods of texts': {
    jinja: `{{ name.upper() }} {{ line.split(',') }} {{ path.startswith('/') }} {{ conf.keys() }}
{% for i in range(3) %}{{ i }}{% endfor %}
{% do list.append(1) %}`,
    faults: [
      [1, 'name | upcase'],
      [1, "line | split: ','"],
      [1, 'path | regex_search'],
      [1, 'pair[0]'],
      [2, '(0..2) in place of range(3)'],
      [3, 'no {% do %}'],
      [3, 'no methods such as .append()'],
    ],
  },
  'a list of DNS records': {
    jinja: `{%+ if zone %}
{% set ns = namespace(found=false) %}
{% for name, addresses in records | dictsort %}
{{ "%-20s" | format(name) }} IN A {{ addresses | first }}
{% endfor %}
{% endif %}`,
    faults: [
      [2, '{% assign ns = namespace(found=false) %}'],
      [2, 'no functions such as namespace()'],
      [3, '{% for pair in records %}'],
      [4, 'Liquid has no format'],
    ],
  },
  'sshd with defaults': {
    jinja: `Port {{ sshd_port|default(22)|int }}
PermitRootLogin {{ 'yes' if permit_root|bool else 'no' }}
AllowUsers {% for u in users|default([]) %}{{ u }} {% endfor %}
MaxSessions {{ sessions * 2 }}`,
    faults: [
      [1, '| default: 22'],
      [2, "{{ permit_root|bool | ternary: 'yes', 'no' }}"],
      [3, '| default: []'],
      [3, 'list literals'],
      [4, 'sessions | times: 2'],
    ],
  },
  'a raw block beside Jinja': {
    jinja: `{% raw %}{{ x | default(1) }}{% set a = 1 %}{% endraw %}
{% comment %}{{ y.get('z') }}{% endcomment %}
{{ v | replace('a', 'b') }}
n=\${#list[@]} {# not closed`,
    faults: [[3, "| replace: 'a', 'b'"]],
  },
};

describe('Jinja in a template', () => {
  it.each(Object.keys(PASTED))('is reported with all faults and their Liquid forms: %s', (name) => {
    const { jinja, faults, liquid } = PASTED[name] as (typeof PASTED)[string];
    const found = faultsIn(jinja);
    expect(found).toEqual(faults.map(([line]) => expect.stringMatching(new RegExp(`^${line}: `))));
    for (const [index, [, part]] of faults.entries()) expect(found[index]).toContain(part);
    if (liquid === undefined) return;
    expect(faultsIn(liquid)).toEqual([]);
    expect(answerRequest({ content: liquid, scopes: [], marksUnknownNames: false, limits: LIMITS })).toMatchObject({
      ok: true,
    });
  });

  it('is reported with forms that use only available filters', () => {
    expect(faultsIn("{{ 'a' if tls else 'b' }} {{ n + 1 }}", COMMAND_FILTERS)).toEqual([
      expect.stringContaining('{% if tls %}a{% else %}b{% endif %}'),
      expect.stringContaining('$(( n + 1 ))'),
    ]);
  });

  it('is found in time that grows in proportion to the text', () => {
    const texts = [
      '{{ x | default(1) }}',
      '{{ a if b else c ',
      '{{ a is defined and b in c ~ d + e',
      '{# ',
      '{% for a, b in c.items() ',
      `{{ a${' if'.repeat(150)}\n }}`,
      `{{ ${'a.'.repeat(240)}( }}`,
      `{{ ${'a '.repeat(240)}( }}`,
      `{{ ${'a['.repeat(240)}( }}`,
      `{% for ${'a , b in '.repeat(50)}( %}`,
      `{{ '${'x'.repeat(450)}' ~ }}`,
    ];
    for (const part of texts) {
      const text = (length: number) => part.repeat(length / part.length);
      expect(faultsIn(text(262_144)).length).toBeLessThanOrEqual(20);
      const [quarter = 0, whole = 0] = [65_536, 262_144].map((length) => leastCpuMs(() => faultsIn(text(length))));
      expect(whole).toBeLessThan(10 * quarter + 20);
    }
  });
});

describe('Liquid', () => {
  it.each([
    '{% if not x and y == "a (b)" %}{{ x | default: 80 }}{% elsif z %}{% endif %}',
    '{% for i in (1..n) %}{{ forloop.index }}{{ i | minus: 1 }}{% endfor %}',
    '{% for item in list reversed limit:3 %}{{ item[0] }}{{ item["in"] }}{% endfor %}',
    "{{ x | replace: '(', '[' }} {{ 'a if b else c' }} {{ y | regex_replace: '(a|b)', 'c' }}",
    '{% case x %}{% when "a" or "b" %}{% else %}{% endcase %}{% comment %}{{ x() }}{% endcomment %}',
    'echo ${#name} $((1 + 2)) {{ a-b }} {% assign c = "x" | append: d %}',
    '{%- unless a contains "b" -%}{{- host.facts.os -}}{%- endunless -%}',
  ])('is not reported as Jinja: %s', (text) => {
    expect(faultsIn(text)).toEqual([]);
  });
});
