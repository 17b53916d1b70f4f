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

/** A template that is none, or that cannot be rendered with these values; in words for its author. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    readonly code: TemplateErrorCode,
    message: string,
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

/** What the thread is asked. */
export interface ThreadRequest {
  readonly content: string;
  /** Null: only whether it is a template, and what it needs. */
  readonly scope: {
    readonly values: Readonly<Record<string, unknown>>;
    /** Text of each secret by name. */
    readonly secrets: Readonly<Record<string, string>>;
    /** The texts are masks: no filter changes them. */
    readonly masked: boolean;
  } | null;
  readonly limits: { readonly renderMs: number; readonly memory: number; readonly length: number };
}

export type ThreadAnswer =
  | { readonly ok: true; readonly text: string; readonly names: readonly string[] }
  | { readonly ok: false; readonly code: TemplateErrorCode; readonly message: string };
