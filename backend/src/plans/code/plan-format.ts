import type { ConvertedText, Fields, NotCarriedPart, ReadingMode, ReadText, TextFault } from './plan-text.ts';

/** Format of texts that an import reads. `plan-formats.ts` lists all of them. */
export interface PlanFormat<Name extends string = string> {
  /** Name in the API. Never changes. */
  readonly name: Name;
  /** Option of the form. */
  readonly label: string;
  /** Description of such a text, for an import with another format: "This is …". */
  readonly meaning: string;
  /** The form chooses the first format with a matching clue; Runward's own format comes last. */
  readonly clues: readonly RegExp[];
  /** How YAML and JSON values are read. */
  readonly reading: ReadingMode;
  /** Recognises the map that is the text, or the first item of its list. */
  readonly matches: (first: Fields) => boolean;
  /** Fault of a text of the same product that is not in this format; null: unknown text. `root`: root element of XML. */
  readonly findXmlFault?: (root: string) => ForeignFormatFault | null;
  /** Runs in a worker thread, only on texts without faults. Faults of the content are reported, not thrown. */
  readonly convert: (read: ReadText) => ConvertedText;
  /** Absent for Runward's own format: its faults refuse the text, and the text is stored with the revision. */
  readonly foreign?: ForeignPlans;
}

/** Import of another product's plans: always new plans, as far as they can be converted. */
export interface ForeignPlans {
  /** Plural, at the start of a sentence. */
  readonly noun: string;
  /** Removes invalid parts from a converted plan and reports them; null: cannot be repaired in this way. */
  readonly repair: (plan: Fields, faults: readonly RuleFault[]) => { plan: Fields; notes: NotCarriedPart[] } | null;
}

/** Rule of plans that a converted plan violates. */
export interface RuleFault {
  readonly path: string;
  readonly message: string;
  readonly line: number;
}

/** Fault of a text that was written for another product. */
export type ForeignFormatFault = Pick<TextFault, 'code' | 'message'>;
