import { ValueError } from './filter-value.ts';

/** What may be done with a secret: forms in which it is masked wherever it comes out again. */
const ENCODINGS: readonly string[] = [
  ...['to_json', 'to_nice_json', 'to_yaml', 'to_nice_yaml'],
  ...['b64encode', 'url_encode', 'urlencode', 'quote'],
];
/** Its result holds no sign that one of these writes in another way. */
const KEPT_WHOLE: readonly string[] = ['to_json', 'to_nice_json', 'to_yaml', 'to_nice_yaml'];
/** Filters that a secret may go through. */
export const FOR_SECRETS: readonly string[] = [...ENCODINGS, 'default'];

/** Stands for a secret, so that conditions and filters do not get at its text. */
export class Secret {
  readonly #name: string;
  readonly #text: string;
  readonly #masked: boolean;
  /** The filter that it went through. */
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
   * The secret as the filter writes it. Masks stay as they are, whatever is done with the secret. What was written in
   * one form is not masked in a form of that form, so that it goes through one filter only; base64 alone may be quoted.
   *
   * @throws ValueError
   */
  through(filter: string, change: (text: string) => string): Secret {
    if (filter === 'default') return this;
    if (!ENCODINGS.includes(filter)) this.refuse();
    if (this.#encoding !== null && !(this.#encoding === 'b64encode' && KEPT_WHOLE.includes(filter)))
      throw new ValueError(
        'secret_in_expression',
        `"${this.#name}" is a secret: after ${this.#encoding} it can go through no other filter, because it could not be masked in what comes of it.`,
      );
    return new Secret(this.#name, this.#masked ? this.#text : change(this.#text), this.#masked, filter);
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
