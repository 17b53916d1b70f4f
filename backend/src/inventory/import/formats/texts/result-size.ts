import type { Findings } from './findings.ts';
import type { ImportedHost } from './inventory-text.ts';
import { MAX_RESULT_LENGTH } from './limits.ts';
import { countTextLength } from './variable-values.ts';

/** Adds up the size of the hosts. A shared value counts once per host, because it is copied for each host. */
export class ResultSize {
  readonly #findings: Findings;
  #length = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  add(host: ImportedHost): void {
    this.#length += host.name.length;
    for (const [name, value] of Object.entries(host.variables ?? {}))
      this.#length += name.length + countTextLength(value);
    for (const name of Object.keys(host.tags ?? {})) this.#length += name.length;
    for (const jump of host.jumps ?? []) this.#length += jump.host.length;
    if (this.#length <= MAX_RESULT_LENGTH) return;
    const message = `The variables of all hosts have more than ${MAX_RESULT_LENGTH} characters together. Shorten those of large groups, or import the text in several parts.`;
    this.#findings.refuse(host.line, host.name, 'too_large', message);
  }
}
