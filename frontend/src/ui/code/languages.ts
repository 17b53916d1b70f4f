export type Language =
  | 'shell'
  | 'python'
  | 'perl'
  | 'ruby'
  | 'javascript'
  | 'json'
  | 'yaml'
  | 'toml'
  | 'ini'
  | 'nginx'
  | 'text';

const INTERPRETERS: readonly [pattern: RegExp, language: Language][] = [
  [/\bpython[\d.]*\b/, 'python'],
  [/\bperl\b/, 'perl'],
  [/\bruby\b/, 'ruby'],
  [/\b(node|deno|bun)\b/, 'javascript'],
];

/** Returns the language of a script. As at a run, the interpreter overrides line 1, and the default is the shell. */
export function scriptLanguage(interpreter: string, content: string): Language {
  const [first = ''] = content.split('\n', 1);
  const program = interpreter.trim() || (first.startsWith('#!') ? first : '');
  return INTERPRETERS.find(([pattern]) => pattern.test(program))?.[1] ?? 'shell';
}

const FILES: readonly [pattern: RegExp, language: Language][] = [
  [/\.ya?ml(\.\w+)?$/, 'yaml'],
  [/\.json$/, 'json'],
  [/\.toml$/, 'toml'],
  [/\.(sh|bash|env|profile)$/, 'shell'],
  [/\.py$/, 'python'],
  [/nginx/, 'nginx'],
  [/\.(ini|cnf|conf|cfg|properties|service|timer|socket|repo)$/, 'ini'],
];

/** Returns the language of a template, by the name of the file. Liquid is marked in each. */
export function templateLanguage(name: string, content: string): Language {
  const known = FILES.find(([pattern]) => pattern.test(name.trim().toLowerCase()))?.[1];
  if (known) return known;
  if (content.startsWith('#!')) return scriptLanguage('', content);
  if (/^\s*[{[](?![{%])/.test(content)) return 'json';
  return /^\s*(---\s*$|[\w-]+:( |$))/m.test(content) ? 'yaml' : 'ini';
}
