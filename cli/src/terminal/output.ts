import type { Failure } from './failure.ts';
import { toHarmless, toHarmlessJson, toHarmlessLines } from './harmless.ts';
import { formatAge, formatTime } from './times.ts';
import type { OutputFormat } from './format.ts';
import type { JqFilter } from './jq.ts';
import { Secrets } from './secrets.ts';
import type { Sink, Surroundings } from './surroundings.ts';
import { formatFacts, formatTable } from './table.ts';
import { toYaml } from './yaml.ts';

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
const COLOUR_CODES: Record<Colour, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Output of a command. Results go to standard output, messages to standard error. */
export class Output {
  readonly secrets = new Secrets();
  readonly format: OutputFormat;
  filter: JqFilter | null = null;
  /** Service of the last response, with its version; null: no response yet. */
  service: { version: string | null; base: string } | null = null;
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  readonly #plain: boolean;

  constructor({ stdout, stderr, env }: Surroundings, format: OutputFormat = 'table') {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.format = format;
    this.#plain = Boolean(env.NO_COLOR) || env.TERM === 'dumb';
  }

  /** Whether results are JSON or YAML, and standard error contains only problems. */
  get isStructured(): boolean {
    return this.format === 'json' || this.format === 'yaml';
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
    this.#values([value], 2);
  }

  /** Prints a value of a sequence, as one line of JSON or as a YAML document. */
  item(value: unknown): void {
    this.items([value]);
  }

  items(values: readonly unknown[]): void {
    this.#values(values);
  }

  #values(values: readonly unknown[], indent?: number): void {
    if (this.filter !== null) {
      const results = this.filter.apply(values.map((value) => JSON.stringify(value)).join('\n'));
      if (results !== '') this.line(toHarmlessLines(results, false));
      return;
    }
    if (this.format === 'yaml')
      for (const value of values) this.raw(`${indent === undefined ? '---\n' : ''}${toYaml(value)}`);
    else for (const value of values) this.line(toHarmlessJson(value, indent));
  }

  /** Waits until the reader has taken the output, so that a long list does not fill the memory. */
  async flush(): Promise<void> {
    await this.#stdout.flush();
  }

  /** Returns a time for a cell: its distance from now, or the whole time in a wide table. */
  time(at: string | null): string {
    return this.format === 'wide' ? formatTime(at) : formatAge(at, Date.now());
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

  /** Prints a progress message. Prints nothing with JSON and YAML, where standard error contains only problems. */
  note(text: string): void {
    if (!this.isStructured) this.#stderr.write(`${this.secrets.removeSecrets(toHarmless(text, false))}\n`);
  }

  question(text: string): string {
    return this.secrets.removeSecrets(toHarmlessLines(text, false));
  }

  failure({ problem, advice }: Failure): void {
    if (this.isStructured) {
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
