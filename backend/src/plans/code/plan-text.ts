/** What the thread that reads and writes texts of plans is asked and answers. */

/** Where something stands in a text; lines and columns begin with 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Why a text can't be read. */
export interface TextFault {
  /** One of the catalogue of faults. */
  readonly code: TextFaultCode;
  readonly message: string;
  /** JSON pointer into what the text describes; '' where that is not known. */
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

/** A value as JSON has them. */
export type Tree = string | number | boolean | null | Tree[] | { [name: string]: Tree };

/** What a text describes. Where there are faults, the value is null. */
export interface ReadText {
  readonly value: Tree;
  /** Of each value by its JSON pointer; that of a name stands under `name of` and the pointer. */
  readonly places: Readonly<Record<string, Place>>;
  /** It has comments, which its values do not tell. */
  readonly comments: boolean;
  readonly faults: readonly TextFault[];
}

/** What is read as what: `plan` by the rules of YAML 1.2, `texts` with every number as it is written. */
export type Reading = 'plan' | 'texts';

/** A plan that is to be written. */
export interface WriteText {
  /** What is written, in this order: what differs from its default. */
  readonly wanted: Tree;
  /** The same with all defaults: a text that says one of them may go on saying it. */
  readonly full: Tree;
  /** Names of fields that say the same in two ways. */
  readonly synonyms: readonly (readonly [string, string])[];
  /** A text of an earlier state, whose comments and order stay; null: none. */
  readonly base: string | null;
}

/** Something of a foreign job that does not become a part of a plan. */
export interface NotCarried {
  readonly line: number | null;
  /** Name of the job. */
  readonly job: string;
  /** Key or number of the step; null: it belongs to the job as a whole. */
  readonly step: string | null;
  /** Such as `schedule`. */
  readonly what: string;
  readonly reason: string;
}

/** A plan as a foreign job describes it. */
export interface ConvertedPlan {
  /** In the form of a plan's text. */
  readonly value: { [name: string]: Tree };
  /** Line of the job. */
  readonly line: number;
  /** Where the parts of the plan stand in the text of the job, by the JSON pointer of the part. */
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

/** Prefix of a name's place. */
export const NAME_OF = 'name of ';
