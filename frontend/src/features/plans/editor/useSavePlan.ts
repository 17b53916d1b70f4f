import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiProblem, toProblem } from '../../../api/errors';
import { useImportPlans } from '../../../api/queries/plans/plan-texts';
import { planQuery, useUpdatePlan } from '../../../api/queries/plans/plans';
import type { Plan, UpdatePlanRequest } from '../../../api/types';

interface SavePlan {
  planId: string;
  /** Summary of the change. */
  message: string;
  onSaved: (saved: Plan, yaml: string | null) => void;
  /** Shows a refusal on the fields of the form. Returns what belongs to no field; null = nothing. */
  onRefused: (error: unknown) => ApiProblem | null;
}

/** Saves a plan from its form or from its text. After a conflict with another save, `problem` says so. */
export function useSavePlan({ planId, message, onSaved, onRefused }: SavePlan) {
  const update = useUpdatePlan(planId);
  const importing = useImportPlans();
  const client = useQueryClient();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const finish = (saved: Plan, yaml: string | null) => {
    onSaved(saved, yaml);
    notifications.show({ color: 'green', message: `Saved as revision ${saved.revision}.` });
  };
  const fail = (error: unknown) => setProblem(toProblem(error));
  const saveForm = (version: number, content: UpdatePlanRequest) => {
    setProblem(null);
    update.mutate(
      { version, body: { ...content, message } },
      {
        onSuccess: (saved) => finish(saved, null),
        onError: (error) => (toProblem(error).code === 'version_mismatch' ? fail(error) : setProblem(onRefused(error))),
      },
    );
  };
  const saveText = (version: number, content: string) => {
    setProblem(null);
    importing.mutate(
      { version, body: { content, planId, message } },
      {
        onSuccess: () => {
          client.fetchQuery({ ...planQuery(planId), staleTime: 0 }).then((saved) => finish(saved, content), fail);
        },
        onError: fail,
      },
    );
  };
  return { saveForm, saveText, saving: update.isPending || importing.isPending, problem, setProblem };
}
