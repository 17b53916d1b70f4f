import { useState } from 'react';
import { checkPlan } from '../../../api/queries/plans/plan-texts';
import type { PlanCheck } from '../../../api/types';
import { type ApiProblem, toProblem } from '../../../api/errors';

export type PlanFields = NonNullable<PlanCheck['plan']>;

interface Sides {
  /** What the form holds, as a request. */
  fields: () => object;
  /** A text of the plan from before, whose comments stay; null: there is none. */
  earlier: () => Promise<string | null>;
  /** Puts into the form what the text says. */
  onFields: (fields: PlanFields) => void;
}

/** One plan as a form and as a text: each side takes over from the other what it says at that moment. */
export function usePlanText({ fields, earlier, onFields }: Sides) {
  const [mode, setMode] = useState<'form' | 'yaml'>('form');
  const [text, setText] = useState('');
  /** What the text was when it was taken from the form; null: the text was never open. */
  const [taken, setTaken] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  /** Why the text can't be shown as a form. */
  const [refusal, setRefusal] = useState<string | null>(null);

  const attempt = async (work: () => Promise<void>) => {
    setPending(true);
    setProblem(null);
    setRefusal(null);
    try {
      await work();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setPending(false);
    }
  };

  const toYaml = () =>
    attempt(async () => {
      const base = taken === null ? await earlier() : text;
      const { yaml } = await checkPlan(JSON.stringify(fields()), base ?? undefined);
      setText(yaml ?? '');
      setTaken(yaml ?? '');
      setMode('yaml');
    });

  const toForm = () =>
    attempt(async () => {
      if (text !== taken) {
        const { plan, faults } = await checkPlan(text);
        if (!plan) {
          const [first] = faults;
          setRefusal(`The form can not show this text${first ? `: line ${first.line}, ${first.message}` : '.'}`);
          return;
        }
        onFields(plan);
        setTaken(text);
      }
      setMode('form');
    });

  /** Shows what is saved now. */
  const reset = (saved: string | null) => {
    setProblem(null);
    setRefusal(null);
    setTaken(saved);
    setText(saved ?? '');
    if (saved === null) setMode('form');
  };

  return {
    mode,
    text,
    setText,
    changed: mode === 'yaml' && text !== taken,
    pending,
    problem,
    refusal,
    toYaml,
    toForm,
    reset,
  };
}

export type PlanTextState = ReturnType<typeof usePlanText>;
