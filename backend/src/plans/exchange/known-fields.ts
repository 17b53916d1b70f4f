import { closest } from 'fastest-levenshtein';
import { shortenText } from '../../common/text/shorten.js';
import { listFields } from '../../common/http/fields.js';
import { PLAN_REFERENCES } from '../code/references.js';
import { PlanFieldsRequest, PlanVariableRequest } from '../plans.dto.js';
import { PlanStepRequest, StepRetriesRequest } from '../steps/plan-step.dto.js';
import type { ReferenceField } from '../steps/types/step-type.js';
import { STEP_REFERENCES } from '../steps/types/step-types.js';

/** Longer names are not compared with known fields, because comparing takes time. */
const MAX_COMPARED_LENGTH = 128;

interface FieldLevel {
  readonly at: RegExp;
  readonly type: new () => object;
  readonly references: readonly ReferenceField[];
}

/** Fields by position in the text of a plan, as in the API request. */
const FIELD_LEVELS: readonly FieldLevel[] = [
  { at: /^$/, type: PlanFieldsRequest, references: PLAN_REFERENCES },
  { at: /^\/variables\/\d+$/, type: PlanVariableRequest, references: [] },
  { at: /^\/steps\/\d+$/, type: PlanStepRequest, references: STEP_REFERENCES },
  { at: /^\/steps\/\d+\/retries$/, type: StepRetriesRequest, references: [] },
];

/** Returns the message for an unknown field that resembles a known one; null: use the message of the API. */
export function findNearestField(path: string): string | null {
  const cut = path.lastIndexOf('/');
  const level = FIELD_LEVELS.find(({ at }) => at.test(path.slice(0, cut)));
  if (!level) return null;
  const name = path
    .slice(cut + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  const known = [...listFields(level.type), ...level.references.map((reference) => reference.name)];
  const advice =
    name.length > MAX_COMPARED_LENGTH ? 'Leave it out.' : `The closest known name is "${closest(name, known)}".`;
  return `"${shortenText(name)}" is not supported here. ${advice}`;
}
