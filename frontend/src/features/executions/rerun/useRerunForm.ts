import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toProblem } from '../../../api/errors';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { refreshFreezes } from '../../../api/queries/plans/collections';
import { planQuery } from '../../../api/queries/plans/plans';
import { rerunPreviewQuery, useRerun } from '../../../api/queries/runs/steering';
import type { Execution, RerunExecutionRequest, RerunHosts } from '../../../api/types';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { useStartLimits } from '../../../ui/runs/useStartLimits';
import { initialRerun, type RerunForm, toRerunRequest } from './rerun-form';

export function useRerunForm(run: Execution, which: RerunHosts, serverIds?: string[]) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const rerun = useRerun(run.id);
  const attempt = useIdempotencyKey();
  const [form, setForm] = useState(() => initialRerun(run, which, serverIds));
  const { acceptGaps: _, note: __, ...request } = toRerunRequest(run, form);
  const preview = useQuery(rerunPreviewQuery(run.id, request));
  const plan = useQuery(planQuery(run.planId)).data;
  const environments = useQuery(environmentChoicesQuery).data?.items ?? [];
  const limits = useStartLimits({
    frozenBy: plan?.frozenBy ?? null,
    environment: environments.find(({ id }) => id === run.environmentId),
    mode: form.mode,
    freezeReason: form.override,
  });
  /** Sends the form, with what the user accepts after a refusal. Does nothing while there is an obstacle. */
  const start = (accepted: Pick<RerunExecutionRequest, 'onOverlap' | 'acceptAuthors'> = {}) => {
    if (limits.obstacle) return;
    const body = { ...toRerunRequest(run, form, limits.freeze), ...limits.windowField, ...accepted };
    rerun.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/executions/$id', params: { id } }),
        onError: (error) => {
          attempt.refused(error);
          if (toProblem(error).code === 'collection_frozen') void refreshFreezes(client);
        },
      },
    );
  };
  return {
    form,
    set: (change: Partial<RerunForm>) => setForm((before) => ({ ...before, ...change })),
    preview,
    limits,
    start,
    problem: rerun.error ? toProblem(rerun.error) : null,
    pending: rerun.isPending,
    /** The user must see the preview before the start, and accept missing results. */
    isReady: preview.data !== undefined && (preview.data.missing.length === 0 || form.acceptGaps),
  };
}

export type RerunFormState = ReturnType<typeof useRerunForm>;
