import { type ImportFault, MAX_FAULTS, MAX_NOT_CARRIED, type NotCarriedSetting } from './inventory-text.ts';
import { MAX_NAME_LENGTH, MAX_READING_STEPS } from './limits.ts';

const MAX_FINDINGS = 1000;

/** Thrown to stop reading after a fault that has already been reported. */
export class ReadingStoppedError extends Error {
  override readonly name = 'ReadingStopped';
}

export class Findings {
  readonly #faults: ImportFault[] = [];
  #furtherFaults = 0;
  readonly #leftOut = new Map<string, NotCarriedSetting>();
  #furtherLeftOut = 0;
  #steps = 0;

  get hasFaults(): boolean {
    return this.#faults.length > 0;
  }

  recordFault(line: number | null, entry: string | null, code: string, message: string): void {
    if (this.#faults.length < MAX_FINDINGS)
      this.#faults.push({ line, entry: entry && toPrintableName(entry), code, message });
    else this.#furtherFaults += 1;
  }

  /** Reports a fault that makes further reading pointless or too expensive, and stops. */
  refuse(line: number | null, entry: string | null, code: string, message: string): never {
    this.recordFault(line, entry, code, message);
    throw new ReadingStoppedError(message);
  }

  /** Reports content that is not imported. Repetitions with the same reason are listed once, at the first place. */
  leaveOut(line: number | null, entry: string | null, what: string, reason: string): void {
    const key = `${what}\n${reason}`;
    const known = this.#leftOut.get(key);
    if (known) {
      const isSameEntry = entry !== null && known.entry === toPrintableName(entry);
      this.#leftOut.set(key, { ...known, entry: isSameEntry ? known.entry : null, places: known.places + 1 });
    } else if (this.#leftOut.size < MAX_NOT_CARRIED) {
      this.#leftOut.set(key, {
        line,
        entry: entry && toPrintableName(entry),
        what: toPrintableName(what),
        reason,
        places: 1,
      });
    } else this.#furtherLeftOut += 1;
  }

  /** Counts steps of work that the length of the text does not limit. Stops if there are too many. */
  countSteps(steps: number): void {
    this.#steps += steps;
    if (this.#steps <= MAX_READING_STEPS) return;
    const message =
      'The text is too complex: many hosts in many groups with many variables. Import it in several parts.';
    this.refuse(null, null, 'too_involved', message);
  }

  listFaults(): { faults: ImportFault[]; moreFaults: number } {
    const ordered = sortByLine(this.#faults);
    const faults = ordered.slice(0, MAX_FAULTS);
    return { faults, moreFaults: ordered.length - faults.length + this.#furtherFaults };
  }

  listNotCarried(): { notCarried: NotCarriedSetting[]; moreNotCarried: number } {
    return { notCarried: sortByLine([...this.#leftOut.values()]), moreNotCarried: this.#furtherLeftOut };
  }
}

/** Shortens a name for a message, and removes characters that disturb a terminal or a log. */
export function toPrintableName(name: string): string {
  const shortName = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name;
  return shortName.replace(/[\p{Cc}\p{Surrogate}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\uFFFD');
}

function sortByLine<T extends { readonly line: number | null }>(found: readonly T[]): T[] {
  return found.toSorted((one, other) => (one.line ?? Infinity) - (other.line ?? Infinity) || 0);
}
