import { useState } from 'react';
import { type ApiProblem, toProblem } from '../../../api/errors';
import { useImportPlans } from '../../../api/queries/plans/plan-texts';
import type { ImportPlansRequest, PlanImport } from '../../../api/types';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';
import { guessFormat, type TextFormat } from './import-text';

interface Values {
  content: string;
  /** Null = guessed from the content. */
  format: TextFormat | null;
  environmentId: string | null;
  collectionId: string | null;
}

/** Values of the import form, and the result of the latest preview or import. A change of a value discards the result. */
export function usePlanImport(collectionId: string | null) {
  const importing = useImportPlans();
  const attempt = useIdempotencyKey();
  const [values, setValues] = useState<Values>({ content: '', format: null, environmentId: null, collectionId });
  const [outcome, setOutcome] = useState<PlanImport | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const format = values.format ?? guessFormat(values.content) ?? 'plan';
  useLeaveGuard(values.content !== '' && (outcome?.preview ?? true));

  const body: ImportPlansRequest = {
    ...{ content: values.content, format },
    ...(values.environmentId === null ? {} : { environmentId: values.environmentId }),
    ...(values.collectionId === null ? {} : { collectionId: values.collectionId }),
  };
  const change = (next: Partial<Values>) => {
    setValues((before) => ({ ...before, ...next }));
    setOutcome(null);
    if (next.content !== undefined) setProblem(null);
  };
  const run = (preview: boolean) => {
    setProblem(null);
    importing.mutate(preview ? { body: { ...body, preview } } : { body, key: attempt.keyFor(body) }, {
      onSuccess: setOutcome,
      onError: (error) => {
        attempt.refused(error);
        setOutcome(null);
        setProblem(toProblem(error));
      },
    });
  };
  return { values: { ...values, format }, change, run, pending: importing.isPending, outcome, problem };
}
