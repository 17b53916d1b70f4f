import type { ProblemItem } from '../../common/errors/problem-item.js';
import { TemplateError } from './template-request.js';

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
