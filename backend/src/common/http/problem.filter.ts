import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Response } from 'express';
import type { RunwardRequest } from '../access/principal.js';
import { databaseProblem } from '../database/database-problem.js';
import { boundedFaults } from '../errors/bounded-problem.js';
import { notFound, Problem } from '../errors/problem.js';

/** Turns every error into `application/problem+json` (RFC 9457). What was not thrown on purpose says nothing of its inside. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<RunwardRequest & { method: string; path: string }>();
    const response = http.getResponse<Response>();
    const problem = this.toProblem(error, request);
    if (response.headersSent) {
      // A stream had begun: nothing can be answered any more; end it so that the client reconnects.
      response.destroy();
      return;
    }
    sendProblem(response, problem, request.requestId);
  }

  private toProblem(error: unknown, request: { method: string; path: string; requestId: string }): Problem {
    if (error instanceof Problem) return error;
    const fromDatabase = databaseProblem(error);
    if (fromDatabase) return fromDatabase;
    if (error instanceof HttpException) {
      const status = error.getStatus();
      if (status === 404) return notFound();
      if (status === 403) {
        return new Problem(403, 'cross_origin', 'Cross-origin request', 'Another site may not send this request.');
      }
      if (status < 500) return new Problem(status, 'invalid_request', 'Invalid request', 'The request was refused.');
    }
    this.log.error(
      `${request.method} ${request.path} failed (request ${request.requestId}): ${error instanceof Error ? error.stack : String(error)}`,
    );
    return new Problem(
      500,
      'internal_error',
      'Internal error',
      'Something went wrong inside. The log of the service tells more under the request id.',
    );
  }
}

/** Writes one problem as the answer. */
export function sendProblem(response: Response, problem: Problem, requestId: string): void {
  const { headers, ...members } = problem.extras;
  const { detail, errors } = boundedFaults(problem);
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  response
    .status(problem.status)
    .setHeader('Cache-Control', 'no-store')
    .type('application/problem+json')
    .send(
      JSON.stringify({
        type: 'about:blank',
        title: problem.title,
        status: problem.status,
        code: problem.code,
        detail,
        requestId,
        ...members,
        errors,
        faults: undefined,
      }),
    );
}
