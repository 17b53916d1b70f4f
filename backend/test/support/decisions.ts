import type { Problem } from '../../src/common/errors/problem.js';
import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import type { Answer, ApiClient } from './api-client.js';

export type Answered = ExecutionView &
  Pick<Problem, 'code'> & { errors?: { path: string; code: string }[]; choices?: string[] };

export interface Decisions {
  decide: (id: string, body: object, api?: ApiClient) => Promise<Answer<Answered>>;
  /**
   * Like `decide`, but the decision must be accepted. Default step: `step-1`.
   * @throws Error with the error response
   */
  decided: (id: string, action: string, stepKey?: string, more?: object) => Promise<void>;
}

/** @param caller called at each use, so it can return a client that is created later */
export function decisionsOf(caller: () => ApiClient): Decisions {
  const decide: Decisions['decide'] = (id, body, api = caller()) =>
    api.post<Answered>(`/api/executions/${id}/decisions`, body);
  return {
    decide,
    async decided(id, action, stepKey = 'step-1', more = {}) {
      const { status, text } = await decide(id, { stepKey, action, ...more });
      if (status !== 200) throw new Error(`The answer "${action}" for ${stepKey} was not taken: ${status} ${text}`);
    },
  };
}
