import { TemplateError } from './template-request.js';

/** The fault of a template that an error tells of. @throws the error itself when it is about something else */
export function templateFault(error: unknown): TemplateError {
  if (error instanceof TemplateError) return error;
  throw error;
}
