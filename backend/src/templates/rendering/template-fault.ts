import type { ProblemItem } from '../../common/errors/problem-item.js';
import { TEMPLATE_FILTERS } from './filters/known-filters.js';
import { jinjaFaults } from './jinja-syntax.js';
import { TemplateError } from './template-request.js';
import { positionOf } from './thread-faults.js';

/** @throws the error itself if it is not a template error */
export function templateFault(error: unknown): TemplateError {
  if (error instanceof TemplateError) return error;
  throw error;
}

export const templateProblem = (path: string, { code, message, position }: TemplateError): ProblemItem => ({
  path,
  code,
  message,
  ...position,
});

export const jinjaProblems = (path: string, content: string): ProblemItem[] =>
  jinjaFaults(content, TEMPLATE_FILTERS).map(({ offset, message }) => {
    const position = positionOf(content, offset);
    return {
      path,
      code: 'invalid_template',
      message: `Line ${position.line}, column ${position.column}: ${message}`,
      ...position,
    };
  });
