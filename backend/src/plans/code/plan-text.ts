/** Requests and answers of the thread that reads and writes texts of plans. */

/** Position in a text; lines and columns start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface TextFault {
  readonly code: TextFaultCode;
  readonly message: string;
  /** JSON pointer into the described plan; '' if unknown. */
  readonly path: string;
  readonly place: Place;
}

export type TextFaultCode =
  | 'invalid_yaml'
  | 'yaml_alias'
  | 'yaml_tag'
  | 'several_documents'
  | 'duplicate_field'
  | 'forbidden_field'
  | 'forbidden_character'
  | 'number_out_of_range'
  | 'too_deep'
  | 'too_many_values'
  | 'too_large'
  | 'wrong_type'
  | 'rundeck_xml'
  | 'foreign_format';

/** JSON value. */
export type Tree = string | number | boolean | null | Tree[] | { [name: string]: Tree };

/** A parsed text. The value is null if there are faults. */
export interface ReadText {
  readonly value: Tree;
  /** Position of each value by JSON pointer; that of its name has the prefix `NAME_OF`. */
  readonly places: Readonly<Record<string, Place>>;
  /** Whether the text has comments. */
  readonly comments: boolean;
  readonly faults: readonly TextFault[];
}

/** `plan`: YAML 1.2; `texts`: numbers stay text, as written. */
export type Reading = 'plan' | 'texts';

export interface WriteText {
  /** Fields to write, in this order; only those that differ from their default. */
  readonly sparse: Tree;
  /** The same with all defaults: an existing default in the text may stay. */
  readonly full: Tree;
  /** Pairs of fields with the same meaning. */
  readonly synonyms: readonly (readonly [string, string])[];
  /** Earlier text, whose comments and order are kept; null: none. */
  readonly base: string | null;
}

/** A part of a foreign job that does not become part of a plan. */
export interface NotCarried {
  readonly line: number | null;
  readonly job: string;
  /** Key or number of the step; null: the whole job. */
  readonly step: string | null;
  /** Such as `schedule`. */
  readonly what: string;
  readonly reason: string;
}

/** A plan converted from a foreign job. */
export interface ConvertedPlan {
  /** Fields as in the text of a plan. */
  readonly value: { [name: string]: Tree };
  readonly line: number;
  /** Positions in the text of the job, by JSON pointer into the plan. */
  readonly places: Readonly<Record<string, Place>>;
}

export interface ConvertedText {
  readonly plans: readonly ConvertedPlan[];
  readonly notCarried: readonly NotCarried[];
  readonly moreNotCarried: number;
  readonly faults: readonly TextFault[];
}

export type PlanTextTask =
  | { readonly does: 'read'; readonly text: string }
  | { readonly does: 'write'; readonly texts: readonly WriteText[] }
  | { readonly does: 'convert'; readonly text: string };
export type PlanTextAnswer = ReadText | readonly string[] | ConvertedText;

/** Prefix of the position of a name. */
export const NAME_OF = 'name of ';
