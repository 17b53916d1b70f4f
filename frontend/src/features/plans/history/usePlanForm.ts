import { useForm } from '@mantine/form';
import { useCallback, useRef, useState } from 'react';
import { errorsByRow } from '../form/form-rows';
import type { PlanForm } from '../form/plan-form';
import { noHistory, PAUSE_MS, recorded, redoStep, sealed, undoStep } from './edit-history';
import { changeOf, ORDER_FIELD } from './plan-change';

export function usePlanForm(initialValues: PlanForm) {
  const [history, setHistory] = useState(() => noHistory<PlanForm>());
  /** Label of the last undone or redone change. */
  const [status, setStatus] = useState('');
  const silent = useRef(false);
  const held = useRef(false);
  const onValuesChange = useCallback((after: PlanForm, before: PlanForm) => {
    if (silent.current) return;
    const change = changeOf(before, after);
    if (!change) return;
    const pause = held.current ? Infinity : change.group === ORDER_FIELD ? 0 : PAUSE_MS;
    const at = Date.now();
    setHistory((was) => recorded(was, { ...change, before, after, at, pause }));
    setStatus('');
  }, []);
  const form = useForm({ initialValues, onValuesChange });

  const withoutRecording = (work: () => void) => {
    silent.current = true;
    try {
      work();
    } finally {
      silent.current = false;
    }
  };
  const goTo = (step: ReturnType<typeof undoStep<PlanForm>>, word: string) => {
    if (!step) return;
    const { steps, variables } = form.getValues();
    const stepErrors = errorsByRow(form.errors, 'steps', steps, step.values.steps);
    withoutRecording(() => form.setValues(step.values));
    form.setErrors(errorsByRow(stepErrors, 'variables', variables, step.values.variables));
    setHistory(step.history);
    setStatus(`${word}: ${step.what}.`);
  };

  const edits = {
    /** Label of the change that undo would revert; null: none. */
    undoes: history.past.at(-1)?.what ?? null,
    redoes: history.redoEntries.at(-1)?.what ?? null,
    status,
    undo: () => goTo(undoStep(history, form.getValues()), 'Undone'),
    redo: () => goTo(redoStep(history, form.getValues()), 'Redone'),
    withoutRecording,
    /** Groups all following moves into one entry, until the step is dropped. */
    hold: () => {
      held.current = true;
      setHistory(sealed);
    },
    letGo: () => {
      held.current = false;
      setHistory(sealed);
    },
  };
  return { form, edits };
}

export type PlanEdits = ReturnType<typeof usePlanForm>['edits'];
