import type { VariableValue } from '../../common/variables/variable-value.js';

/** A value that a template may use. */
export interface TemplateValue {
  readonly name: string;
  /** Null when nothing gives one: then the name is not defined. */
  readonly value: VariableValue | null;
  readonly secret: boolean;
}

/** What a template may know of a host and of what earlier steps did there. */
export interface TemplateFacts {
  readonly host?: {
    readonly name: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly facts?: Readonly<Record<string, string | number>>;
  };
  /** By step key; what is null there is not defined. */
  readonly steps?: Readonly<Record<string, object>>;
}

export interface TemplateRequest {
  readonly content: string;
  readonly values: readonly TemplateValue[];
  /** Where a value has the name `host` or `steps`, it hides the fact. */
  readonly facts?: TemplateFacts;
  /** Secrets as they are, for a host; or their masks, for people. */
  readonly secrets: 'shown' | 'masked';
}

/** Which facts a template looks at. */
export interface TemplateNeeds {
  readonly host: boolean;
  readonly steps: boolean;
}

/** Where in a template something stands, both from 1; columns in UTF-16 units. */
export interface TemplatePlace {
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a template, in words for its author. */
export interface TemplateFault {
  readonly code: TemplateErrorCode;
  readonly message: string;
  /** Null where the whole template is meant. */
  readonly place: TemplatePlace | null;
}

/** A template that is none, or that cannot be rendered with these values. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    readonly code: TemplateErrorCode,
    message: string,
    readonly place: TemplatePlace | null = null,
  ) {
    super(message);
  }
}

export type TemplateErrorCode =
  | 'invalid_template'
  | 'undefined_variable'
  | 'secret_in_expression'
  | 'too_much'
  | 'invalid_value';

/** What one file is rendered with. */
export interface ThreadScope {
  /** Shared by files that have the same. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Go before nothing: a value of the same name hides them. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Text of each secret by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The texts are masks: no filter changes them. */
  readonly masked: boolean;
}

/** What the thread is asked. */
export interface ThreadRequest {
  readonly content: string;
  /** The files to make; none: only whether it is a template, and what it needs. */
  readonly scopes: readonly ThreadScope[];
  /** A name that nothing gives a value is marked in the file, and told. */
  readonly markUnknown: boolean;
  readonly limits: {
    readonly renderMs: number;
    readonly memory: number;
    readonly length: number;
    /** After so long no further file is begun. */
    readonly jobMs: number;
    /** After so many characters no further file is begun. */
    readonly jobLength: number;
  };
}

/** A name of the template that nothing gives a value, where it is used first. */
export interface UnknownName extends TemplatePlace {
  readonly name: string;
}

export type ThreadFile = { readonly text: string } | { readonly fault: TemplateFault };

export type ThreadAnswer =
  | {
      readonly ok: true;
      readonly names: readonly string[];
      readonly unknown: readonly UnknownName[];
      /** In the order of the scopes; of the last ones there may be none yet. */
      readonly files: readonly ThreadFile[];
    }
  | { readonly ok: false; readonly fault: TemplateFault };

/** Two texts of a file, to be compared. */
export interface CompareRequest {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** What the two are called. */
  readonly labels: readonly [string, string];
  readonly timeoutMs: number;
  /** Lines that are taken out or put in; more count as too long. */
  readonly mostEdits?: number;
}
