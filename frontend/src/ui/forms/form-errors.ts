import { type ApiProblem, toProblem } from '../../api/errors';
import type { ProblemItem } from '../../api/types';

/** The reference tokens of a JSON pointer (RFC 6901), unescaped. */
export const pointerParts = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

export interface AssignedErrors {
  /** Messages by form path, such as `steps.0.command`. */
  fields: Record<string, string>;
  /** Errors that belong to no field of the form. */
  rest: ProblemItem[];
}

/**
 * Assigns the server's validation errors to the form's fields.
 * @param isField whether the form has a field with this path; a deeper pointer falls back to its nearest field
 */
export function assignErrors(items: readonly ProblemItem[], isField: (path: string) => boolean): AssignedErrors {
  const assignedErrors: AssignedErrors = { fields: {}, rest: [] };
  for (const item of items) {
    const parts = pointerParts(item.path);
    while (parts.length > 0 && !isField(parts.join('.'))) parts.pop();
    const path = parts.join('.');
    if (path === '') assignedErrors.rest.push(item);
    else
      assignedErrors.fields[path] = assignedErrors.fields[path]
        ? `${assignedErrors.fields[path]} ${item.message}`
        : item.message;
  }
  return assignedErrors;
}

/** Scrolls to the first invalid field and focuses it. */
function focusFirstInvalid(): void {
  const field = document.querySelector<HTMLElement>('[aria-invalid="true"]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center', behavior: 'smooth' });
}

interface ErrorTarget {
  setErrors: (errors: Record<string, string>) => void;
}

/** Shows a refusal on the form's fields. @returns what remains to be shown; null when every error has its field */
export function showErrorOnForm(
  form: ErrorTarget,
  error: unknown,
  isField: (path: string) => boolean,
): ApiProblem | null {
  const problem = toProblem(error);
  const { fields, rest } = assignErrors(problem.errors, isField);
  form.setErrors(fields);
  if (Object.keys(fields).length > 0) requestAnimationFrame(focusFirstInvalid);
  const areAllAssigned = problem.errors.length > 0 && rest.length === 0;
  return areAllAssigned ? null : problem;
}
