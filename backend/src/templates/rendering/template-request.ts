import type { VariableValue } from '../../variables/variable-value.js';

export interface TemplateValue {
  readonly name: string;
  /** Null: the name is undefined. */
  readonly value: VariableValue | null;
  readonly secret: boolean;
}

export interface TemplateFacts {
  readonly host?: {
    readonly name: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly facts?: Readonly<Record<string, string | number>>;
  };
  /** By step key. Fields that are null count as undefined. */
  readonly steps?: Readonly<Record<string, object>>;
}

export interface TemplateRequest {
  readonly content: string;
  readonly values: readonly TemplateValue[];
  /** A value named `host` or `steps` takes precedence. */
  readonly facts?: TemplateFacts;
  /** `shown` for the file on a host, `masked` for people. */
  readonly secrets: 'shown' | 'masked';
}

export interface TemplateNeeds {
  readonly host: boolean;
  readonly steps: boolean;
}

/** Position in a template, from 1. Columns count UTF-16 units. */
export interface TemplatePosition {
  readonly line: number;
  readonly column: number;
}

export interface TemplateFault {
  readonly code: TemplateErrorCode;
  readonly message: string;
  /** Null: the fault concerns the whole template. */
  readonly position: TemplatePosition | null;
}

export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    readonly code: TemplateErrorCode,
    message: string,
    readonly position: TemplatePosition | null = null,
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

export interface ThreadScope {
  /** The same object for files with equal values. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Values and secrets with the same name take precedence. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** True: the texts of secrets are masks, which filters leave unchanged. */
  readonly masked: boolean;
}

export interface ThreadRequest {
  readonly content: string;
  /** Values of the files to render. Empty: only validate the template and return its names. */
  readonly scopes: readonly ThreadScope[];
  readonly marksUnknownNames: boolean;
  readonly limits: {
    readonly renderMs: number;
    readonly memory: number;
    readonly length: number;
    /** Time in ms after which the job starts no further file. */
    readonly jobMs: number;
    /** Number of characters after which the job starts no further file. */
    readonly jobLength: number;
  };
}

export interface UnknownName extends TemplatePosition {
  readonly name: string;
}

export type ThreadFile = { readonly text: string } | { readonly fault: TemplateFault };

export type ThreadAnswer =
  | {
      readonly ok: true;
      readonly names: readonly string[];
      readonly unknown: readonly UnknownName[];
      /** In the order of the scopes. The last files are missing if the job reached its limits. */
      readonly files: readonly ThreadFile[];
    }
  | { readonly ok: false; readonly fault: TemplateFault };

export interface CompareRequest {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly labels: readonly [string, string];
  readonly timeoutMs: number;
  /** Limit of added and removed lines. Beyond it, the result is null. */
  readonly maxEdits?: number;
}
