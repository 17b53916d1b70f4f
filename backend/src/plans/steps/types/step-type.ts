import type { Type } from '@nestjs/common';
import type { ProblemItem } from '../../../common/errors/problem-item.js';
import type { ContentSource } from '../../../library/library-kind.js';
import type { LoopFields } from '../fields/loop.fields.js';
import type { StepBase } from '../fields/step-base.js';
import type { CheckContext } from '../fields/texts.js';

/** Fields that a step type has in addition to those of every step: one class for requests, one for responses. */
export interface FieldGroup<Request extends object = object, View extends object = object> {
  readonly request: Type<Request>;
  readonly view: Type<View>;
}

export type ReferenceKind = 'environment' | 'collection' | 'script' | 'template' | 'git source' | 'plan';

/** Field with the ID of a record. In the text of a plan, `name` contains the record's name instead. */
export interface ReferenceField {
  readonly id: string;
  readonly name: string;
  readonly kind: ReferenceKind;
}

/** Content outside the plan that runs freeze. */
export type StepContent =
  | { readonly kind: 'script' | 'template'; readonly id: string }
  | { readonly kind: 'file'; readonly source: ContentSource };

/** Everything about a step type that concerns plans. `executions/steps/types` defines how runs execute it. */
export interface StepTypeDefinition<Step extends StepBase = never> {
  /** Defines the accepted fields. A field without default is a flag, which is stored only if true. */
  readonly fields: readonly FieldGroup[];
  /** The order of the fields is their order in texts of plans. */
  readonly defaults: Omit<Step, 'key' | 'name'> & LoopFields;
  /** Fields of `StepBase` that steps of this type cannot set. */
  readonly refusedFields?: readonly (keyof StepBase)[];
  readonly reference?: ReferenceField;
  /** Validates the fields of the type, without the records that they name. */
  check(step: Step, known: CheckContext): Iterable<ProblemItem | null>;
  /** Returns the texts in which a step can use variables, facts and results of earlier steps; null = not set. */
  listTexts(step: Step): readonly (string | null)[];
  listOutputs(step: Step): readonly string[];
  mayChangeHosts(step: Step): boolean;
  getContent(step: Step): StepContent | null;
}
