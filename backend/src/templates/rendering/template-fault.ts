import type { ProblemItem } from '../../common/errors/problem-item.js';
import { TEMPLATE_FILTERS } from './filters/known-filters.js';
import { jinjaFaults } from './jinja-syntax.js';
import { TemplateError } from './template-request.js';
import { placeOf } from './thread-faults.js';

/** The fault of a template that an error tells of. @throws the error itself when it is about something else */
export function templateFault(error: unknown): TemplateError {
  if (error instanceof TemplateError) return error;
  throw error;
}

/** The same as a fault of a request. */
export const templateProblem = (path: string, { code, message, place }: TemplateError): ProblemItem => ({
  path,
  code,
  message,
  ...place,
});

/** Every fault of a text that is Jinja, as faults of a request. */
export const jinjaProblems = (path: string, content: string): ProblemItem[] =>
  jinjaFaults(content, TEMPLATE_FILTERS).map(({ offset, message }) => {
    const place = placeOf(content, offset);
    return {
      path,
      code: 'invalid_template',
      message: `Line ${place.line}, column ${place.column}: ${message}`,
      ...place,
    };
  });
