import { type ApiProblem, toProblem } from '../../api/errors';
import type { ProblemItem } from '../../api/types';

/** The names in a JSON pointer (RFC 6901). */
export const pointerParts = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

export interface PlacedErrors {
  /** Messages by form path, such as `steps.0.command`. */
  fields: Record<string, string>;
  /** What belongs to no field of the form. */
  rest: ProblemItem[];
}

/**
 * Sorts the faults that the server named onto the form's fields.
 * @param isField whether the form draws a field with this path; a deeper pointer falls back to its nearest field
 */
export function placeErrors(items: readonly ProblemItem[], isField: (path: string) => boolean): PlacedErrors {
  const placed: PlacedErrors = { fields: {}, rest: [] };
  for (const item of items) {
    const parts = pointerParts(item.path);
    while (parts.length > 0 && !isField(parts.join('.'))) parts.pop();
    const path = parts.join('.');
    if (path === '') placed.rest.push(item);
    else placed.fields[path] = placed.fields[path] ? `${placed.fields[path]} ${item.message}` : item.message;
  }
  return placed;
}

/** Brings the first field with a fault into sight and under the keyboard. */
function showFirstFault(): void {
  const field = document.querySelector<HTMLElement>('[aria-invalid="true"]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center', behavior: 'smooth' });
}

interface ErrorTarget {
  setErrors: (errors: Record<string, string>) => void;
}

/** Shows a refusal on a form's fields. @returns what must be shown beside them; null when every fault has its field */
export function showOnForm(form: ErrorTarget, error: unknown, isField: (path: string) => boolean): ApiProblem | null {
  const problem = toProblem(error);
  const { fields, rest } = placeErrors(problem.errors, isField);
  form.setErrors(fields);
  if (Object.keys(fields).length > 0) requestAnimationFrame(showFirstFault);
  const everyFaultHasItsField = problem.errors.length > 0 && rest.length === 0;
  return everyFaultHasItsField ? null : problem;
}
