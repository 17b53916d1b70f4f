import { ValueError } from './filter-value.ts';

/** Filters that accept secrets. Redaction knows the forms of a secret that they produce, and masks them. */
const ENCODINGS: readonly string[] = [
  ...['to_json', 'to_nice_json', 'to_yaml', 'to_nice_yaml'],
  ...['b64encode', 'url_encode', 'urlencode', 'quote'],
];
/** Filters that leave base64 unchanged, so that redaction still recognises the secret. */
const FILTERS_AFTER_BASE64: readonly string[] = ['to_json', 'to_nice_json', 'to_yaml', 'to_nice_yaml'];
export const SECRET_FILTERS: readonly string[] = [...ENCODINGS, 'default'];

/** Value of a secret. Conditions and other filters cannot access its text. */
export class Secret {
  readonly #name: string;
  readonly #text: string;
  readonly #masked: boolean;
  readonly #encoding: string | null;

  constructor(name: string, text: string, masked: boolean, encoding: string | null = null) {
    this.#name = name;
    this.#text = text;
    this.#masked = masked;
    this.#encoding = encoding;
  }

  reveal(): string {
    return this.#text;
  }

  /**
   * Applies a filter to the secret. Masks stay unchanged. Redaction knows only the results of a single filter, so a
   * second filter is refused, except quoting after base64.
   * @throws ValueError
   */
  apply(filter: string, change: (text: string) => string): Secret {
    if (filter === 'default') return this;
    if (!ENCODINGS.includes(filter)) this.refuse();
    if (this.#encoding !== null && !(this.#encoding === 'b64encode' && FILTERS_AFTER_BASE64.includes(filter)))
      throw new ValueError(
        'secret_in_expression',
        `"${this.#name}" is a secret: after ${this.#encoding} no other filter is allowed, because the result could not be masked.`,
      );
    return new Secret(this.#name, this.#masked ? this.#text : change(this.#text), this.#masked, filter);
  }

  refuse(): never {
    throw new ValueError(
      'secret_in_expression',
      `"${this.#name}" is a secret: it can stand alone in {{ … }}, or with one of ${SECRET_FILTERS.join(', ')}, and be asked for with {% if ${this.#name} %}.`,
    );
  }

  // liquidjs calls these methods to compare values.
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
