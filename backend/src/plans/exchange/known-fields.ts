import { getMetadataStorage } from 'class-validator';
import { closest } from 'fastest-levenshtein';
import { shown } from '../../common/errors/shown.js';
import { PLAN_REFERENCES, type ReferenceField, STEP_REFERENCES } from '../code/references.js';
import { PlanFieldsRequest, PlanVariableRequest } from '../plans.dto.js';
import { PlanStepRequest, StepRetriesRequest } from '../steps/plan-step.dto.js';

/** Longer names are no misspellings of known ones; comparing takes time by their length. */
const LONGEST_COMPARED = 128;

interface Level {
  readonly at: RegExp;
  readonly type: new () => object;
  readonly references: readonly ReferenceField[];
}

/** Which fields stand where in the text of a plan, as the request of the API has them. */
const LEVELS: readonly Level[] = [
  { at: /^$/, type: PlanFieldsRequest, references: PLAN_REFERENCES },
  { at: /^\/variables\/\d+$/, type: PlanVariableRequest, references: [] },
  { at: /^\/steps\/\d+$/, type: PlanStepRequest, references: STEP_REFERENCES },
  { at: /^\/steps\/\d+\/retries$/, type: StepRetriesRequest, references: [] },
];

/** Names of all fields that a request of the API has. */
export function fieldsOf(type: new () => object): string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

/** What to say of an unknown field at this place of a text; null: nothing better than the API says. */
export function nearestField(path: string): string | null {
  const cut = path.lastIndexOf('/');
  const level = LEVELS.find(({ at }) => at.test(path.slice(0, cut)));
  if (!level) return null;
  const name = path
    .slice(cut + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  const known = [...fieldsOf(level.type), ...level.references.map((reference) => reference.name)];
  const advice =
    name.length > LONGEST_COMPARED ? 'Leave it out.' : `The nearest known name is "${closest(name, known)}".`;
  return `"${shown(name)}" is not known here. ${advice}`;
}
