import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type ApiProblem, toProblem } from '../../../api/errors';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { refreshFreezes } from '../../../api/queries/plans/collections';
import { planVariablesQuery } from '../../../api/queries/plans/plans';
import { useStartExecution } from '../../../api/queries/runs/executions';
import type { Execution, Plan, StartExecutionRequest } from '../../../api/types';
import { startRecipes } from '../../../ui/copy/start-recipes';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { useStartLimits } from '../../../ui/runs/useStartLimits';
import { effectiveMode } from './start-modes';
import { isLater, startObstacle } from './start-obstacle';
import { initialForm, toStartRequest } from './start-request';

export interface StartContent {
  plan: Plan;
  again: Execution | null;
  /** ID of the environment to choose at first; null: that of the plan. */
  into?: string | null;
  /** Whether to start only if nothing has changed since the dry run `again`. */
  exact: boolean;
}

const FIELDS = ['environmentId', 'targets', 'note', 'labels', 'startAt'];

export function useStartForm({ plan, again, into = null, exact }: StartContent) {
  const form = useForm({ initialValues: initialForm(plan, again, into) });
  const { environmentId, override } = form.values;
  const [typedName, setTypedName] = useState('');
  const resolved = useQuery(planVariablesQuery(plan.id, environmentId)).data?.items ?? [];
  const environment = useQuery(environmentChoicesQuery).data?.items.find(({ id }) => id === environmentId);
  const modeLimits = { plan, environment, exact };
  const values = { ...form.values, mode: effectiveMode(form.values.mode, modeLimits) };
  const { mode } = values;
  const later = isLater(values);
  const limits = useStartLimits({ frozenBy: plan.frozenBy, environment, mode, freezeReason: override, later });
  const obstacle = limits.obstacle ?? startObstacle(values, { environment, typedName });
  const request: StartExecutionRequest = {
    ...toStartRequest(plan, values, exact ? again?.digest : undefined, limits.freeze),
    ...limits.windowField,
  };
  const { send, ...sending } = useSendStart(form, plan);
  return {
    ...{ form, mode, modeLimits, later, limits, environment, resolved, obstacle, typedName, setTypedName },
    ...sending,
    recipes: startRecipes({
      origin: window.location.origin,
      plan: plan.name,
      environment: request.environmentId === undefined ? null : (environment?.name ?? request.environmentId),
      request,
      secrets: plan.variables.filter(({ type }) => type === 'secret').map(({ name }) => name),
    }),
    /** Sends the form, with what the user accepts after a refusal. Does nothing while there is an obstacle. */
    start: (accepted: Pick<StartExecutionRequest, 'onOverlap' | 'acceptAuthors'> = {}) => {
      if (accepted.onOverlap === 'queue') form.setFieldValue('queue', true);
      if (obstacle === null) send({ ...request, ...accepted });
    },
  };
}

export type StartFormState = ReturnType<typeof useStartForm>;

/** Sends a start and opens the run. After a refusal, the errors are on the form and in `problem`. */
function useSendStart(form: Parameters<typeof showErrorOnForm>[0], plan: Plan) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const start = useStartExecution();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const isField = (path: string) =>
    FIELDS.includes(path) || plan.variables.some(({ name }) => path === `variables.${name}`);
  const send = (body: StartExecutionRequest) => {
    setProblem(null);
    start.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/executions/$id', params: { id } }),
        onError: (error) => {
          attempt.refused(error);
          if (toProblem(error).code === 'collection_frozen') void refreshFreezes(client);
          setProblem(showErrorOnForm(form, error, isField));
        },
      },
    );
  };
  return { send, problem, pending: start.isPending };
}
