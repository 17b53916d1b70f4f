import type { Findings } from './findings.ts';
import type { ImportedHost } from './inventory-text.ts';

/** Format of inventory texts. `import-formats.ts` lists all of them. */
export interface InventoryFormat<Name extends string = string> {
  /** Name in the API and in stored imports. Never changes. */
  readonly name: Name;
  readonly label: string;
  /** Description of such a text, for the form. */
  readonly meaning: string;
  /** What the format expects; shown if the text contains no host. */
  readonly expected: string;
  /** Matches file names in lower case. `decides`: no other format has such names, whatever the content. */
  readonly fileName?: { readonly pattern: RegExp; readonly decides: boolean };
  /** The form chooses the format with the most certain clue whose patterns all match the beginning of the text. */
  readonly clues: readonly FormatClue[];
  /** Reports faults as findings. An error that it throws means that the text cannot be read. */
  readonly read: (content: string, findings: Findings) => ImportedHost[];
}

export interface FormatClue {
  /** 3: only this format begins like this; 2: probable; 1: possible. */
  readonly certainty: 1 | 2 | 3;
  readonly patterns: readonly RegExp[];
}
