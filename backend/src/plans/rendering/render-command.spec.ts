import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { COMMAND_FILTERS } from './command-engine.js';
import type { CommandFacts } from './command-facts.js';
import { renderArgument } from './render-argument.js';
import {
  checkCommandTemplate,
  findCommandNeeds,
  CommandTemplateError,
  type CommandValue,
  renderCommand,
} from './render-command.js';

const values: CommandValue[] = [
  { name: 'version', value: 'v1.2', secret: false },
  { name: 'name', value: "it's; $(reboot)", secret: false },
  { name: 'db_host', value: 'db-1', secret: false },
  { name: 'port', value: 8080, secret: false },
  { name: 'force', value: false, secret: false },
  { name: 'packages', value: ['curl', "o'k", 3, true], secret: false },
  { name: 'none', value: [], secret: false },
  { name: 'note', value: null, secret: false },
  { name: 'SECRET', value: 'hunter2', secret: true },
];
const render = (text: string) => renderCommand(text, values);
const codes = (text: string) => checkCommandTemplate(text, values).map(({ code }) => code);
const message = (text: string) => checkCommandTemplate(text, values)[0]?.message ?? 'no problem';
const failure = (text: string): CommandTemplateError => {
  try {
    render(text);
  } catch (error) {
    if (error instanceof CommandTemplateError) return error;
    throw error;
  }
  throw new Error(`rendered: ${text}`);
};

describe('rendering a command', () => {
  it.each([
    ['echo {{ version }}', "echo 'v1.2'"],
    ['echo {{ name }}', `echo 'it'\\''s; $(reboot)'`],
    ['echo {{port}} {{ force }}', "echo '8080' 'false'"],
    ['apt install {{ packages }}', `apt install 'curl' 'o'\\''k' '3' 'true'`],
    ['ls {{ none }} /', 'ls  /'],
    ['systemctl {{ version | raw }} x', 'systemctl v1.2 x'],
    ['echo {{ packages | raw }}', "echo curl o'k 3 true"],
    ["echo {{ 'a b' }}", "echo 'a b'"],
    ['a={{ version | upcase | raw | downcase }}', "a='v1.2'"],
    ['echo "$(cat {{ version }})"', `echo "$(cat 'v1.2')"`],
    ['x\n{{- version -}}\ny', "x'v1.2'y"],
  ])('turns %j into %j', (text, expected) => {
    expect(checkCommandTemplate(text, values)).toEqual([]);
    expect(render(text)).toBe(expected);
  });

  it.each([
    ['{{ version | append: "-rc" }}', "'v1.2-rc'"],
    ['{{ note | default: "n/a" }}', "'n/a'"],
    ['{{ none | default: "n/a" }}', "'n/a'"],
    ['{{ force | default: true }}', "'false'"],
    ['{{ version | downcase | prepend: "x" }}', "'xv1.2'"],
    ['{{ packages | first }} {{ packages | last }}', "'curl' 'true'"],
    ['{{ packages | join: "," }}', `'curl,o'\\''k,3,true'`],
    ['{{ version | replace: "v", "" }}', "'1.2'"],
    ['{{ packages | size }} {{ packages.size }} {{ name | size }}', "'4' '4' '15'"],
    ['{{ version | split: "." | first | strip }}', "'v1'"],
    ['{{ "b,a,b" | split: "," | uniq | sort }}', "'a' 'b'"],
    ['{{ packages[0] }}', "'curl'"],
  ])('knows the filter in %j', (text, expected) => {
    expect(checkCommandTemplate(text, values)).toEqual([]);
    expect(render(text)).toBe(expected);
  });

  it('has conditions, loops and comments', () => {
    const text = `{% comment %}it's{% endcomment %}{% if force %}a{% elsif port > 80 and version == 'v1.2' %}b{% else %}c{% endif %}
{% for item in packages limit: 2 %}use {{ item }} {{ forloop.index }}
{% endfor %}{% assign tag = version | upcase %}{% case tag %}{% when 'V1.2' %}{{ tag }}{% endcase %}{% unless note %}!{% endunless %}`;
    expect(checkCommandTemplate(text, values)).toEqual([]);
    expect(render(text)).toBe(`b\nuse 'curl' '1'\nuse 'o'\\''k' '2'\n'V1.2'!`);
  });

  it.each([
    'echo ${#array[@]} ${x%%.*} ${x##*/} ${x:-${y}} $((1 + 2)) "$@"',
    `awk '{print $1}' f | sed 's/{a}/{b}/' && printf '%s\\n' "{}"`,
    'cat <<EOF\n$x `y` \\z\nEOF\n# comment',
    'a=${b}}',
    'echo ü🚀 \u0001\u007f',
  ])('leaves shell text such as %j untouched', (text) => {
    expect(checkCommandTemplate(text, values)).toEqual([]);
    expect(render(text)).toBe(text);
  });

  it.each([
    `docker ps --format '{{.Names}}'`,
    `docker inspect -f '{{json .Config}}' x`,
    `docker inspect -f '{{range .Mounts}}{{.Source}}{{end}}' x`,
    `docker ps --format '{{ .version }}'`,
    `printf '{%s}' x`,
    'echo {{a,b},c}',
    'echo {{}}',
    'echo {{ version',
    'echo {{ version port }}',
    'echo {{ version, port }}',
    'echo {{ version | }}',
    'echo {{ port == 8080 }}',
    'echo {{ not }}',
    '{% if version port %}x{% endif %}',
    '{% if version %}x',
    '{% include "x" %}',
    '{% endif %}',
  ])('rejects %j and explains how to write literal braces', (text) => {
    expect(message(text)).toContain('{% raw %}');
    expect(failure(text)).toBeInstanceOf(CommandTemplateError);
  });

  it('outputs text between raw tags unchanged', () => {
    const text = `docker ps --format '{% raw %}{{.Names}}{% endraw %}' {{ version }}`;
    expect(checkCommandTemplate(text, values)).toEqual([]);
    expect(render(text)).toBe(`docker ps --format '{{.Names}}' 'v1.2'`);
  });

  it('reports an unknown variable with its line and the most similar name', () => {
    expect(checkCommandTemplate('ls\necho {{ db_hots }}', values, '/steps/0/command')).toEqual([
      {
        path: '/steps/0/command',
        code: 'unknown_variable',
        message: expect.stringMatching(/^Line 2: .*"db_hots"\. Did you mean "db_host"\?/),
      },
    ]);
    expect(message('{{ db-host }}')).toContain('Did you mean "db_host"?');
    expect(failure('{{ db_hots }}').code).toBe('unknown_variable');
    expect(codes('{% for x in nope %}{{ y }}{% endfor %}{{ version | append: gone }}')).toEqual(
      Array(3).fill('unknown_variable'),
    );
  });

  it.each([
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'version.constructor',
    'packages.map',
    'version["at"]',
    'packages["map"]',
  ])('reads no property outside of its values: %s', (expression) => {
    expect(() => render(`{{ ${expression} }}`)).toThrow(CommandTemplateError);
    expect(() => render(`{{ ${expression} | raw }}`)).toThrow(CommandTemplateError);
  });

  it.each([
    'include "a"',
    'render "a"',
    'layout "a"',
    'block a',
    'capture a',
    'liquid',
    'echo version',
    'increment x',
    'cycle "a"',
    'tablerow x in y',
  ])('has no tag {%% %s %%}', (tag) => {
    expect(codes(`{% ${tag} %}`)).toEqual(['unknown_tag']);
  });

  it('lists the available filters', () => {
    expect(message('{{ version | upcas }}')).toContain('Did you mean "upcase"?');
    expect(message('{{ version | constructor }}')).toContain(COMMAND_FILTERS.join(', '));
    expect(codes('{{ version | base64_encode }}')).toEqual(['unknown_filter']);
  });

  it('never renders a missing value as empty text', () => {
    expect(codes('{{ note }}')).toEqual([]);
    for (const text of [
      '{{ note }}',
      '{{ note | raw }}',
      '{{ note | upcase }}',
      '{{ none | first }}',
      '{{ version | append: note }}',
    ]) {
      expect(failure(text)).toMatchObject({
        code: 'invalid_value',
        message: expect.stringMatching(/^Line 1, \{\{.*no value.*default/),
      });
    }
  });

  it('does not allow a template to redefine a variable of the plan', () => {
    expect(codes('{% assign version = 1 %}')).toEqual(['invalid_template']);
    expect(codes('{% for SECRET in packages %}{{ SECRET }}{% endfor %}')).toContain('invalid_template');
  });
});

it('does not split surrogate pairs', () => {
  const emojiVariables = [{ name: 'face', value: 'a😀', secret: false }];
  expect(renderCommand("echo {{ face | split: '' }}", emojiVariables)).toBe("echo 'a' '😀'");
  expect(renderArgument("{{ face | split: '' }}", emojiVariables)).toBe('a 😀');
});

describe('secrets in a command', () => {
  it('are inserted as a shell expansion', () => {
    expect(render('curl -H {{ SECRET }} {{ SECRET | raw }}')).toBe('curl -H "${SECRET}" "${SECRET}"');
  });

  it.each([
    '{{ SECRET | upcase }}',
    '{{ SECRET | raw | append: "x" }}',
    '{{ SECRET | default: "x" }}',
    '{{ version | append: SECRET }}',
    '{{ note | default: SECRET }}',
    '{{ SECRET.size }}',
    '{{ SECRET[0] }}',
    '{{ packages[SECRET] }}',
    '{% if SECRET == "hunter2" %}x{% endif %}',
    '{% if SECRET %}x{% endif %}',
    '{% for c in SECRET %}{{ c }}{% endfor %}',
    '{% for c in (1..SECRET) %}x{% endfor %}',
    '{% for c in packages limit: SECRET %}x{% endfor %}',
    '{% case SECRET %}{% when "a" %}x{% endcase %}',
    '{% case version %}{% when SECRET %}x{% endcase %}',
    '{% assign x = SECRET %}{{ x | upcase }}',
  ])('are rejected in %j', (text) => {
    expect(codes(text)).toContain('secret_in_expression');
    expect(message(text)).toMatch(/\{\{ SECRET \}\}.*"\$SECRET"/);
    expect(failure(text).message).not.toContain('hunter2');
  });

  it.each(['{{ [db_host] }}', "{{ ['SECRET'] }}", '{{ "x"[SECRET] }}', '{{ [SECRET] | upcase }}'])(
    'cannot be accessed indirectly: %j',
    (text) => {
      expect(failure(text).message).not.toContain('hunter2');
    },
  );

  it('are rejected within quotes, also with raw', () => {
    expect(codes('curl -H "Bearer {{ SECRET | raw }}"')).toEqual(['unsafe_place']);
    expect(message('curl -H "Bearer {{ SECRET }}"')).toContain('use the exported variable $SECRET there');
  });
});

describe('values in unsafe positions', () => {
  it.each([
    ['echo "Hello {{ name }}"', 'double quotes'],
    ["echo 'Hello {{ name }}'", 'single quotes'],
    ['cat <<EOF\n{{ name }}\nEOF', 'here-document'],
    ['ls # {{ name }}', 'comment'],
    ['echo `cat {{ name }}`', 'backticks'],
    ['echo $(({{ port }} + 1))', 'arithmetic'],
    ['echo ${x:-{{ name }}}', 'expansion'],
    ['echo ${{ name }}', 'dollar sign'],
    ['echo \\{{ name }}', 'backslash'],
    ['{% if force %}echo "{{ name }}"{% endif %}', 'double quotes'],
  ])('are rejected at save in %j', (text, words) => {
    expect(codes(text)).toEqual(['unsafe_place']);
    expect(message(text)).toContain(words);
    expect(message(text)).toMatch(/^Line \d: \{\{ (name|port) \}\}/);
    expect(failure(text).code).toBe('unsafe_place');
  });

  it('are allowed there with raw', () => {
    expect(render('echo "Hello {{ version | raw }}" $(({{ port | raw }} + 1))')).toBe(
      'echo "Hello v1.2" $((8080 + 1))',
    );
  });

  it('are detected in the rendered branch too', () => {
    const text = `echo {% if force %}"{% else %}"a" "{% endif %} {{ version }} {% if force %}"{% endif %}`;
    expect(codes(text)).toEqual([]);
    expect(failure(text)).toMatchObject({ code: 'unsafe_place', message: expect.stringContaining('double quotes') });
  });
});

describe('template limits', () => {
  it.each([
    ['{% for a in (1..9999999999) %}x{% endfor %}'],
    ['{% for a in (1..1000000) %}{% for b in (1..1000000) %}{{ a }}{% endfor %}{% endfor %}'],
    ['{% assign x = "aaaaaaaaaaaaaaaa" %}{% for a in (1..64) %}{% assign x = x | append: x %}{% endfor %}{{ x }}'],
    ['{% assign x = "aaaa" %}{% for a in (1..64) %}{% assign x = x | replace: "a", "aaaaaaaa" %}{% endfor %}{{ x }}'],
    [`{% for a in (1..100000) %}${'x'.repeat(1000)}{% endfor %}`],
  ])('stop %j', (text) => {
    expect(() => render(text)).toThrow(CommandTemplateError);
  });

  it.each([
    '{% if version %}'.repeat(4000),
    '{{ a['.repeat(10_000),
    '{'.repeat(60_000),
    '{% raw %}'.repeat(7000),
    'x'.repeat(70_000),
    'a\0b',
  ])('reject a hostile text %#', (text) => {
    expect(codes(text)).not.toEqual([]);
  });

  it('reports at most twenty problems', () => {
    expect(codes('{{ nope }}'.repeat(500))).toHaveLength(20);
  });
});

it.each(['sh', 'bash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0))(
  'a rendered value is one exact word in %s',
  (shell) => {
    for (const value of ["'", 'a\'b\n"$x`y`\\', '', '*', '-n', '~', 'ü🚀', "'\\''", '$(exit 3)', '\u0001\u007f\r\t']) {
      const command = renderCommand("printf '[%s]' {{ v }}", [{ name: 'v', value, secret: false }]);
      expect(spawnSync(shell, ['-s'], { input: command, encoding: 'utf8' }).stdout).toBe(`[${value}]`);
    }
  },
);

describe('facts in a command', () => {
  const facts: CommandFacts = {
    host: { name: 'web-1', tags: { role: 'web', 'app/tier': "go'ld" } },
    steps: {
      build: { status: 'SUCCEEDED', changed: true, exitCode: 0, outputs: { version: "v1'; reboot", empty: '' } },
      lost: { status: null, changed: false, exitCode: null, outputs: {} },
    },
  };
  const earlier = [
    { key: 'build', outputs: ['version', 'empty', 'missing'] },
    { key: 'lost', outputs: ['version'] },
  ];
  const check = (text: string) => checkCommandTemplate(text, values, '/x', earlier);

  it.each([
    ['echo {{ host.name }}', "echo 'web-1'"],
    ['echo {{ host.tags.role }} {{ host.tags["app/tier"] }}', `echo 'web' 'go'\\''ld'`],
    ['deploy {{ steps.build.outputs.version }}', `deploy 'v1'\\''; reboot'`],
    ['echo {{ steps.build.outputs.empty }}', "echo ''"],
    [
      'echo {{ steps.build.status }} {{ steps.build.changed }} {{ steps.build.exitCode }}',
      "echo 'SUCCEEDED' 'true' '0'",
    ],
    ['echo {{ steps.build.outputs.missing | default: version }}', "echo 'v1.2'"],
    ['echo {{ host.tags.legacy | default: "no" | upcase }}', "echo 'NO'"],
    ['{% if host.tags.legacy or steps.lost.outputs.version %}a{% else %}b{% endif %}', 'b'],
    [
      '{% for part in steps.build.outputs.version | split: ";" %}{% endfor %}{% assign v = host.name %}{{ v }}',
      "'web-1'",
    ],
  ])('turn %j into %j', (text, expected) => {
    expect(check(text)).toEqual([]);
    expect(renderCommand(text, values, facts)).toBe(expected);
  });

  it.each([
    ['{{ steps.build.outputs.missing }}', 'The step "build" did not set its output "missing" on this host.'],
    ['{{ steps.gone.outputs.version | upcase }}', 'The step "gone" did not set its output "version" on this host.'],
    ['{{ steps.lost.status }}', 'The step "lost" has no result on this host.'],
    ['{{ steps.lost.exitCode | append: "!" }}', 'The step "lost" has no exit code on this host.'],
    ['{{ host.tags.legacy | raw }}', 'The host has no tag "legacy".'],
  ])('that are missing are named: %j', (text, reason) => {
    expect(() => renderCommand(text, values, facts)).toThrow(CommandTemplateError);
    expect(() => renderCommand(text, values, facts)).toThrow(reason);
  });

  it.each([
    [
      'ls\n{{ steps.biuld.status }}',
      'unknown_step',
      'Line 2: no step "biuld" comes before this one. Did you mean "build"?',
    ],
    ['{{ steps.build.outputs.verison }}', 'unknown_output', 'Did you mean "version"?'],
    ['{{ steps.build }}', 'unknown_fact', 'steps.KEY.status'],
    ['{{ host }}', 'unknown_fact', 'host.name'],
    ['"{{ host.name }}"', 'unsafe_place', 'double quotes'],
    ["'{{ steps.build.outputs.version }}'", 'unsafe_place', 'single quotes'],
    ['{{ host.name[SECRET] }}', 'unknown_fact', 'host.name'],
  ])('are checked in %j', (text, code, words) => {
    expect(check(text)[0]).toMatchObject({ path: '/x', code, message: expect.stringContaining(words) });
  });

  it('are rejected if not available', () => {
    expect(failure('{{ host.name }}').code).toBe('facts_needed');
  });

  it('can be determined before values exist', () => {
    expect(findCommandNeeds('ls {{ version }}')).toEqual({ steps: false, host: false });
    expect(findCommandNeeds('{% if host.tags.role == "web" %}x{% endif %}')).toEqual({ steps: false, host: true });
    expect(findCommandNeeds('{{ version | append: steps.build.outputs.version }}')).toEqual({
      steps: true,
      host: false,
    });
    expect(findCommandNeeds('{% for host in packages %}{{ host }}{% endfor %}')).toEqual({ steps: false, host: false });
  });

  it('are hidden by a variable or loop with the same name', () => {
    const own = [{ name: 'host', value: 'db-1', secret: false }];
    expect(renderCommand('ping {{ host }}', own)).toBe("ping 'db-1'");
    expect(renderCommand('ping {{ host }}', own, facts)).toBe("ping 'db-1'");
    expect(checkCommandTemplate('ping {{ host.name }}', own)[0]?.code).toBe('invalid_template');
    expect(render('{% for host in packages limit: 1 %}{{ host }}{% endfor %}')).toBe("'curl'");
  });
});
