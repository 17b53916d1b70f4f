import type { Problem } from '../../src/common/errors/problem.js';
import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import type { Answer, ApiClient } from './api-client.js';

/** A refusal, or the run. */
export type Answered = ExecutionView &
  Pick<Problem, 'code'> & { errors?: { path: string; code: string }[]; choices?: string[] };

/** How somebody answers the runs that wait. */
export interface Decisions {
  decide: (id: string, body: object, api?: ApiClient) => Promise<Answer<Answered>>;
  /** The same, for an answer that must be taken; about `step-1` unless told. @throws Error with the refusal */
  decided: (id: string, action: string, stepKey?: string, more?: object) => Promise<void>;
}

/** @param caller is asked for at each use, so that it may be made later */
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
