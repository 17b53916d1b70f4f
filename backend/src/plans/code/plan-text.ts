/** Position in a text; lines and columns start at 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface TextFault {
  readonly code: TextFaultCode;
  readonly message: string;
  /** JSON pointer into the described plan; empty if unknown. */
  readonly path: string;
  readonly place: TextPlace;
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

export type YamlTree = string | number | boolean | null | YamlTree[] | { [name: string]: YamlTree };
export type Fields = { [name: string]: YamlTree };

export const isFields = (value: YamlTree | undefined): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Parsed text. The value is null if there are faults. */
export interface ReadText {
  readonly value: YamlTree;
  /** Position of each value by JSON pointer. The position of a name has the prefix `NAME_OF_PREFIX`. */
  readonly places: Readonly<Record<string, TextPlace>>;
  readonly comments: boolean;
  readonly faults: readonly TextFault[];
}

/** `plan`: YAML 1.2; `texts`: numbers stay text, as written. */
export type ReadingMode = 'plan' | 'texts';

export interface TextToWrite {
  /** Fields to write, in this order. Contains only fields that differ from their default. */
  readonly sparse: YamlTree;
  /** Like `sparse`, but with all defaults: a default that the text already contains may stay. */
  readonly full: YamlTree;
  /** Pairs of fields with the same meaning. */
  readonly synonyms: readonly (readonly [string, string])[];
  /** Earlier text, whose comments and order are kept; null: none. */
  readonly base: string | null;
}

export interface NotCarriedPart {
  readonly line: number | null;
  readonly job: string;
  /** Key or number of the step; null: the whole job. */
  readonly step: string | null;
  /** Name of the part, such as `schedule`. */
  readonly what: string;
  readonly reason: string;
}

export interface DescribedPlan<Value extends YamlTree = YamlTree> {
  /** Fields as in the text of a plan; not validated. */
  readonly value: Value;
  readonly line: number;
  /** Positions in the imported text, by JSON pointer into the plan. */
  readonly places: Readonly<Record<string, TextPlace>>;
  readonly comments: boolean;
}

export interface ConvertedText<Value extends YamlTree = YamlTree> {
  readonly plans: readonly DescribedPlan<Value>[];
  readonly notCarried: readonly NotCarriedPart[];
  readonly moreNotCarried: number;
  readonly faults: readonly TextFault[];
}

export const NAME_OF_PREFIX = 'name of ';
