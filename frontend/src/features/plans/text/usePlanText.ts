import { useState } from 'react';
import { checkPlan } from '../../../api/queries/plans/plan-texts';
import type { CheckedPlan } from '../../../api/types';
import { type ApiProblem, toProblem } from '../../../api/errors';

interface PlanTextOptions {
  /** Content of the form, as a request. */
  fields: () => object;
  /** Earlier text of the plan, whose comments are kept; null: none. */
  earlier: () => Promise<string | null>;
  onFields: (fields: CheckedPlan) => void;
}

/** Edits one plan as form and as YAML. Switching converts the current state. */
export function usePlanText({ fields, earlier, onFields }: PlanTextOptions) {
  const [mode, setMode] = useState<'form' | 'yaml'>('form');
  const [text, setText] = useState('');
  /** Text when it was created from the form; null: YAML was never opened. */
  const [takenText, setTakenText] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  /** Why the text cannot be converted to the form. */
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
      const base = takenText === null ? await earlier() : text;
      const { yaml } = await checkPlan(JSON.stringify(fields()), base ?? undefined);
      setText(yaml ?? '');
      setTakenText(yaml ?? '');
      setMode('yaml');
    });

  const toForm = () =>
    attempt(async () => {
      if (text !== takenText) {
        const { plan, faults } = await checkPlan(text);
        if (!plan) {
          const [first] = faults;
          setRefusal(`The form cannot display this text${first ? `: line ${first.line}, ${first.reason.text}` : '.'}`);
          return;
        }
        onFields(plan);
        setTakenText(text);
      }
      setMode('form');
    });

  /** Opens an unsaved text as YAML. */
  const open = (unsaved: string) => {
    setTakenText('');
    setText(unsaved);
    setMode('yaml');
  };

  const reset = (saved: string | null) => {
    setProblem(null);
    setRefusal(null);
    setTakenText(saved);
    setText(saved ?? '');
    if (saved === null) setMode('form');
  };

  return {
    mode,
    text,
    setText,
    changed: mode === 'yaml' && text !== takenText,
    pending,
    problem,
    refusal,
    toYaml,
    toForm,
    open,
    reset,
  };
}

export type PlanTextState = ReturnType<typeof usePlanText>;
