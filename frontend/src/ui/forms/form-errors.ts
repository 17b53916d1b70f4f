import { type ApiProblem, toProblem } from '../../api/errors';
import type { ProblemItem } from '../../api/types';

/** Returns the unescaped parts of a JSON pointer (RFC 6901). */
export const pointerParts = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

export interface AssignedErrors {
  /** Messages by form path, such as `steps.0.command`. */
  fields: Record<string, string>;
  rest: ProblemItem[];
}

/**
 * Assigns the server's validation errors to the form's fields.
 * @param isField whether the form has a field with this path; a deeper pointer belongs to its nearest field
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

function focusFirstInvalid(): void {
  const field = document.querySelector<HTMLElement>('[aria-invalid="true"]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center', behavior: 'smooth' });
}

interface ErrorTarget {
  setErrors: (errors: Record<string, string>) => void;
}

/**
 * Shows the errors of a refused request on the form's fields.
 * @returns errors that belong to no field; null = none
 */
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

/**
 * Same as `showErrorOnForm`, for a form whose fields have other names than those of the request.
 * @param fieldOf form field for a path of the request; null = none
 */
export const showErrorOnFields = (
  form: ErrorTarget,
  error: unknown,
  fieldOf: (path: string) => string | null,
): ApiProblem | null => {
  const setErrors = (errors: Record<string, string>) =>
    form.setErrors(Object.fromEntries(Object.entries(errors).map(([path, text]) => [fieldOf(path) ?? path, text])));
  return showErrorOnForm({ setErrors }, error, (path) => fieldOf(path) !== null);
};
