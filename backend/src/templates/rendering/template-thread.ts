/**
 * What a thread does to parse and render a template: whatever the template does, only this thread is busy with it.
 * It is loaded by Node.js itself, so that it imports nothing but types from files beside it.
 */
import { Liquid, LiquidError, type Template } from 'liquidjs';
import type { ThreadAnswer, ThreadRequest } from './template-request.js';

const TAGS = ['if', 'unless', 'case', 'for', 'break', 'continue', 'assign', 'comment', 'raw', '#'];

/** Filters of Liquid that read no clock and no other template. */
const LIQUID_FILTERS = [
  ...['abs', 'append', 'at_least', 'at_most', 'capitalize', 'ceil', 'compact', 'concat', 'default', 'divided_by'],
  ...['downcase', 'first', 'floor', 'join', 'last', 'lstrip', 'minus', 'modulo', 'plus', 'prepend', 'remove'],
  ...['replace', 'reverse', 'round', 'rstrip', 'size', 'slice', 'sort', 'split', 'strip', 'times', 'uniq', 'upcase'],
];
/** The same under the names that users of Ansible know. */
const ANSIBLE_NAMES: Readonly<Record<string, string>> = {
  lower: 'downcase',
  upper: 'upcase',
  trim: 'strip',
  length: 'size',
  unique: 'uniq',
};
/** What may be done with a secret: forms in which it is masked wherever it comes out again. */
const FOR_SECRETS = ['to_json', 'b64encode', 'url_encode', 'default'];

class ValueError extends Error {
  override readonly name = 'ValueError';
  readonly code: 'invalid_value' | 'secret_in_expression';

  constructor(code: 'invalid_value' | 'secret_in_expression', message: string) {
    super(message);
    this.code = code;
  }
}

/** Stands for a secret, so that conditions and filters do not get at its text. */
class Secret {
  readonly #name: string;
  readonly #text: string;
  readonly #masked: boolean;

  constructor(name: string, text: string, masked: boolean) {
    this.#name = name;
    this.#text = text;
    this.#masked = masked;
  }

  reveal(): string {
    return this.#text;
  }

  /** Masks stay as they are, whatever is done with the secret. */
  through(change: (text: string) => string): Secret {
    return new Secret(this.#name, this.#masked ? this.#text : change(this.#text), this.#masked);
  }

  refuse(): never {
    throw new ValueError(
      'secret_in_expression',
      `"${this.#name}" is a secret: it can stand alone in {{ … }}, or with one of ${FOR_SECRETS.join(', ')}, and be asked for with {% if ${this.#name} %}.`,
    );
  }

  // The engine asks these of whatever it compares.
  equals = (): never => this.refuse();
  gt = (): never => this.refuse();
  geq = (): never => this.refuse();
  lt = (): never => this.refuse();
  leq = (): never => this.refuse();
  indexOf = (): never => this.refuse();
  [Symbol.iterator] = (): never => this.refuse();
  toString(): never {
    return this.refuse();
  }
  toJSON(): never {
    return this.refuse();
  }
}

const OWN_FILTERS: Readonly<Record<string, (value: unknown, ...args: unknown[]) => unknown>> = {
  to_json: (value) => JSON.stringify(value ?? null),
  b64encode: (value) => Buffer.from(plain(value)).toString('base64'),
  url_encode: (value) => encodeURIComponent(plain(value)),
  indent: (value, width = 4) =>
    plain(value).replaceAll(/\n(?!\n|$)/g, `\n${' '.repeat(Math.min(100, Math.max(0, Number(width) || 0)))}`),
};

function plain(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value))
    throw new ValueError('invalid_value', "This is a list. Say how to write it: | join: ', ' or | to_json.");
  if (value === null || value === undefined)
    throw new ValueError('invalid_value', "This has no value. Say what to use instead: | default: 'x'.");
  throw new ValueError(
    'invalid_value',
    'This is neither a text nor a number. Name one of its fields, or use | to_json.',
  );
}

/** The text that `{{ … }}` puts into the file: nothing is escaped. */
const written = (value: unknown): string => (value instanceof Secret ? value.reveal() : plain(value));

function engineOf({ renderMs, memory, length }: ThreadRequest['limits']): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    parseLimit: length,
    renderLimit: renderMs,
    memoryLimit: memory,
    templates: {},
    outputEscape: written,
  });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.includes(tag)) delete engine.tags[tag];
  const builtIn = { ...engine.filters };
  for (const name of Object.keys(builtIn)) engine.unregisterFilter(name);
  for (const name of LIQUID_FILTERS) register(engine, name, builtIn[name] as Filter);
  for (const [name, liquid] of Object.entries(ANSIBLE_NAMES)) register(engine, name, builtIn[liquid] as Filter);
  for (const [name, filter] of Object.entries(OWN_FILTERS)) register(engine, name, filter);
  return engine;
}

type Filter = (this: { context: { memoryLimit: { use(count: number): void } } }, ...args: unknown[]) => unknown;

function register(engine: Liquid, name: string, filter: Filter): void {
  engine.registerFilter(name, function (this: unknown, value: unknown, ...args: unknown[]) {
    const self = this as ThisParameterType<Filter>;
    const given = args.flat().find((arg) => arg instanceof Secret);
    if (given instanceof Secret && name !== 'default') given.refuse();
    if (value instanceof Secret) {
      if (!FOR_SECRETS.includes(name)) value.refuse();
      return name === 'default' ? value : value.through((text) => String(filter.call(self, text)));
    }
    if (Array.isArray(value)) for (const item of value as unknown[]) if (item instanceof Secret) item.refuse();
    const result = filter.call(self, value, ...args);
    self.context.memoryLimit.use(typeof result === 'string' || Array.isArray(result) ? result.length : 1);
    return result;
  });
}

export default function answer({ content, scope, limits }: ThreadRequest): ThreadAnswer {
  const engine = engineOf(limits);
  let templates: Template[];
  try {
    templates = engine.parse(content);
  } catch (error) {
    return { ok: false, code: 'invalid_template', message: parseFault(engine, error) };
  }
  const names = engine.globalVariablesSync(templates);
  if (scope === null) return { ok: true, text: '', names };
  try {
    const values: Record<string, unknown> = Object.assign(Object.create(null) as object, scope.values);
    for (const [name, text] of Object.entries(scope.secrets)) values[name] = new Secret(name, text, scope.masked);
    const text = String(engine.renderSync(templates, values));
    if (text.length > limits.memory) return { ok: false, code: 'too_much', message: 'The rendered file is too large.' };
    return { ok: true, text, names };
  } catch (error) {
    return { ok: false, ...renderFault(error) };
  }
}

function parseFault(engine: Liquid, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const line = /, line:(\d+), col:\d+$/.exec(reason)?.[1];
  const where = line === undefined ? '' : `Line ${line}: `;
  const advice = 'Braces that belong to the file itself are written {% raw %}{{ … }}{% endraw %}.';
  const filter = /^undefined filter: ([^,]*)/.exec(reason)?.[1];
  if (filter !== undefined)
    return `${where}there is no filter "${filter}". The filters are ${Object.keys(engine.filters).sort().join(', ')}.`;
  const tag = /^tag "([^"]*)" not found/.exec(reason)?.[1];
  if (tag !== undefined) return `${where}{% ${tag} %} cannot be used here. The tags are ${TAGS.join(', ')}. ${advice}`;
  if (reason.startsWith('Maximum call stack')) return 'The template is nested too deeply.';
  return `${where}${reason.replace(/, line:\d+, col:\d+$/, '').replace(/\.$/, '')}. ${advice}`;
}

function renderFault(error: unknown): { code: Extract<ThreadAnswer, { ok: false }>['code']; message: string } {
  if (!(error instanceof LiquidError)) return { code: 'invalid_value', message: String(error) };
  const line = error.token.input.slice(0, error.token.begin).split('\n').length;
  const where = `Line ${line}, ${error.token.getText().slice(0, 200)}: `;
  const cause = error.originalError;
  if (cause instanceof ValueError) return { code: cause.code, message: where + cause.message };
  const reason = error.message.replace(/, line:\d+, col:\d+$/, '');
  const name = /^undefined variable: (.*)/.exec(reason)?.[1];
  if (name !== undefined) {
    const message = `Line ${line}: there is no value for "${name}". Declare the variable in the plan, or say what to use instead: | default: 'x'.`;
    return { code: 'undefined_variable', message };
  }
  if (/limit exceeded/.test(reason))
    return { code: 'too_much', message: 'Rendering the template takes too much time or memory.' };
  return { code: 'invalid_value', message: `${where}${reason}.` };
}
