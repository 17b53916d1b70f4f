import type { Jq } from 'jq-wasm/inline';
import { usage } from './failure.ts';

/** jq reports a syntax error with this exit code. */
const COMPILE_ERROR = 3;

/** Expression of `--jq`, evaluated by jq itself (WebAssembly). */
export class JqFilter {
  readonly #jq: Jq;
  readonly #expression: string;

  private constructor(jq: Jq, expression: string) {
    this.#jq = jq;
    this.#expression = expression;
  }

  /** @throws Failure for a syntax error, before the command sends a request */
  static async compile(expression: string): Promise<JqFilter> {
    const { loadJq } = await import('jq-wasm/inline');
    const filter = new JqFilter(await loadJq(), expression);
    filter.apply('');
    return filter;
  }

  /**
   * @param input any number of JSON texts, separated by white space
   * @returns results, one per line; texts without quotes
   * @throws Failure with the message of jq
   */
  apply(input: string): string {
    const { stdout, stderr, exitCode } = this.#jq.raw(input, this.#expression, ['--compact-output', '--raw-output']);
    if (exitCode === 0) return stdout;
    const reason = stderr.replaceAll(/^jq: (?:error(?: \(at [^)]*\))?: )?/gm, '').trim();
    if (exitCode === COMPILE_ERROR) throw usage(`--jq is not a valid expression: ${reason}`);
    throw usage(`--jq failed: ${reason}`);
  }
}
