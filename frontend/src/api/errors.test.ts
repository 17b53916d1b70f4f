import { describe, expect, it, vi } from 'vitest';
import { ApiProblem, isTransient, isUnauthorized, problemOf, toNetworkProblem, toProblem } from './errors';

const problem = (status: number, code = 'x') => new ApiProblem({ status, code, detail: 'Because.' });

describe('a problem of the API', () => {
  it('holds what the problem document says, and empty lists for what it leaves out', () => {
    const body = {
      status: 422,
      code: 'invalid',
      detail: 'No.',
      errors: [{ path: '/name', code: 'required', message: 'Missing.' }],
    };
    const found = problemOf(new Response(null, { status: 422 }), body);
    expect(found).toMatchObject({ status: 422, code: 'invalid', message: 'No.', conflicts: [], moreDifferences: 0 });
    expect(found.errors).toEqual(body.errors);
    expect(found.retryAt).toBeNull();
  });

  it.each([['<html>502</html>'], [null], [{ code: 'x' }], ['']])(
    'is unexpected when the body is no problem document: %j',
    (body) => {
      const response = new Response(null, { status: 502, headers: { 'x-request-id': 'r-1' } });
      expect(problemOf(response, body)).toMatchObject({ status: 502, code: 'unexpected', requestId: 'r-1' });
    },
  );

  it.each([
    ['30', 30_000],
    ['0', null],
    ['-5', null],
    ['Wed, 21 Oct 2026 07:28:00 GMT', null],
  ])('takes the wait from Retry-After %s', (header, wait) => {
    vi.useFakeTimers({ now: 1_000 });
    const response = new Response(null, { status: 429, headers: { 'retry-after': header } });
    const { retryAt } = problemOf(response, { status: 429, code: 'too_many', detail: 'Later.' });
    vi.useRealTimers();
    expect(retryAt).toBe(wait === null ? null : 1_000 + wait);
  });

  it('stays itself, while any other error is unexpected, also one of the interface’s own that is a TypeError', () => {
    const own = problem(409);
    expect(toProblem(own)).toBe(own);
    expect(toProblem(new TypeError('x is not a function'))).toMatchObject({ code: 'unexpected' });
    expect(toProblem(new Error('Oh.'))).toMatchObject({ code: 'unexpected', message: 'Oh.' });
    expect(toProblem('text')).toMatchObject({ code: 'unexpected', message: 'Unknown error.' });
  });

  it('is a lack of connection where a request failed without an answer, and only there', () => {
    expect(toNetworkProblem(new TypeError('Failed to fetch'))).toMatchObject({ status: 0, code: 'network' });
    expect(toNetworkProblem(new SyntaxError('Unexpected token'))).toMatchObject({ code: 'unexpected' });
    expect(toNetworkProblem(problem(409))).toMatchObject({ status: 409 });
  });

  it('may be transient without an answer or with a server error only', () => {
    expect([0, 500, 503].map((status) => isTransient(problem(status)))).toEqual([true, true, true]);
    expect([400, 401, 404, 409, 429].some((status) => isTransient(problem(status)))).toBe(false);
  });

  it('means a lost session at 401, but not at a wrong password', () => {
    expect(isUnauthorized(problem(401, 'unauthorized'))).toBe(true);
    expect(isUnauthorized(problem(401, 'login_failed'))).toBe(false);
    expect(isUnauthorized(problem(403))).toBe(false);
    expect(isUnauthorized(new Error('401'))).toBe(false);
  });
});
