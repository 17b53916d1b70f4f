import { IsOptionalField, MultilineText, OptionalBoolean } from '../../../common/http/fields.js';
import { BASE_DEFAULTS, type StepBase } from '../fields/step-base.js';
import type { StepTypeDefinition } from './step-type.js';

const MAX_MESSAGE_LENGTH = 2000;

export interface GateStep extends StepBase {
  type: 'gate';
  message: string;
  /** Marks work that the plan lacks: dry runs are blocked here, and no rerun starts after it. Absent = false. */
  placeholder?: boolean;
}

class GateFieldsRequest {
  /** For type `gate`: question for the person. */
  @IsOptionalField()
  @MultilineText(2000)
  message?: string;

  /** For type `gate`: marks work that the plan lacks. A dry run is blocked here, and no rerun can begin after it. */
  @OptionalBoolean()
  placeholder?: boolean;
}

class GateFieldsView {
  /** Type gate, like `placeholder`. */
  message?: string;
  /** Marks work that the plan lacks: a dry run is blocked here, and no rerun can begin after it. */
  placeholder?: boolean;
}

export const GATE = {
  fields: [{ request: GateFieldsRequest, view: GateFieldsView }],
  // No default for `placeholder`, so that earlier gates and digests of runs stay unchanged.
  defaults: { ...BASE_DEFAULTS, type: 'gate', timeoutSeconds: 14_400, message: '' },
  check({ message }, { path }) {
    if (message.trim() !== '' && message.length <= MAX_MESSAGE_LENGTH) return [];
    const advice = `Write what the person must decide or do, in 1 to ${MAX_MESSAGE_LENGTH} characters.`;
    return [{ path: `${path}/message`, code: 'required', message: advice }];
  },
  listTexts: () => [],
  listOutputs: () => [],
  mayChangeHosts: () => false,
  getContent: () => null,
} as const satisfies StepTypeDefinition<GateStep>;

export const isPlaceholder = (step: { type: string; placeholder?: boolean }): boolean =>
  step.type === 'gate' && step.placeholder === true;
