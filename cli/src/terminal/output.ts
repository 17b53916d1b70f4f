import type { Failure } from './failure.ts';
import { toHarmless, toHarmlessJson, toHarmlessLines } from './harmless.ts';
import { Secrets } from './secrets.ts';
import type { Sink, Surroundings } from './surroundings.ts';
import { formatFacts, formatTable } from './table.ts';

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
const COLOUR_CODES: Record<Colour, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Output of a command. Results go to standard output, messages to standard error. */
export class Output {
  readonly secrets = new Secrets();
  readonly json: boolean;
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  readonly #plain: boolean;

  constructor({ stdout, stderr, env }: Surroundings, json: boolean) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.json = json;
    this.#plain = Boolean(env.NO_COLOR) || env.TERM === 'dumb';
  }

  /** Whether output has colours, which only a terminal gets. */
  get isColoured(): boolean {
    return this.#stdout.isTTY && !this.#plain;
  }

  paint(colour: Colour, text: string): string {
    return this.isColoured ? `\x1b[${COLOUR_CODES[colour]}m${text}\x1b[0m` : text;
  }

  /** Prints one line of the result. Pass text from others through `safe` first. */
  line(text = ''): void {
    this.#stdout.write(`${this.secrets.removeSecrets(text)}\n`);
  }

  /** Prints unchanged text, for files and pipes. */
  raw(text: string): void {
    this.#stdout.write(this.secrets.removeSecrets(text));
  }

  /** Returns text from others without control sequences. */
  safe(text: string | null | undefined): string {
    return toHarmless(text ?? '', false);
  }

  record(value: unknown): void {
    this.line(toHarmlessJson(value, 2));
  }

  item(value: unknown): void {
    this.line(toHarmlessJson(value));
  }

  table(headings: readonly string[], rows: readonly (readonly (string | null)[])[]): void {
    for (const line of formatTable(
      headings,
      rows.map((row) => row.map((cell) => this.safe(cell ?? '–'))),
    ))
      this.line(line);
  }

  facts(pairs: readonly (readonly [string, string | null | undefined])[]): void {
    for (const line of formatFacts(
      pairs.map(([name, value]) => [name, value == null ? null : this.safe(value)] as const),
    ))
      this.line(line);
  }

  /** Prints a progress message. Prints nothing with --json, where standard error contains only problems. */
  note(text: string): void {
    if (!this.json) this.#stderr.write(`${this.secrets.removeSecrets(toHarmless(text, false))}\n`);
  }

  question(text: string): string {
    return this.secrets.removeSecrets(toHarmlessLines(text, false));
  }

  failure({ problem, advice }: Failure): void {
    if (this.json) {
      this.#stderr.write(`${this.secrets.removeSecrets(toHarmlessJson(problem))}\n`);
      return;
    }
    const lines = [problem.detail || problem.title, ...toFaultLines(problem.errors), ...advice];
    if (problem.requestId) lines.push(`Request ${problem.requestId}, ${problem.code}`);
    const [first = '', ...rest] = lines.map((line) => toHarmless(line.replaceAll('\n', ' '), false));
    const mark = this.#stderr.isTTY && !this.#plain ? '\x1b[31m✗\x1b[0m' : '✗';
    this.#stderr.write(
      this.secrets.removeSecrets([`${mark} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n') + '\n'),
    );
  }
}

const toFaultLines = (faults: Failure['problem']['errors'] = []): string[] =>
  faults.map(({ path, message, line, column }) => {
    const place = line === undefined ? path : `line ${line}${column === undefined ? '' : `, column ${column}`}`;
    return place ? `${place}: ${message}` : message;
  });
