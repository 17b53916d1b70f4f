import { Alert, Group, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { PlanText } from './PlanText';
import type { PlanTextState } from './usePlanText';

interface Props {
  state: PlanTextState;
  readOnly: boolean;
  /** Content beside the choice, in form mode. */
  tools?: ReactNode;
  children: ReactNode;
}

/** Shows a plan as a form or as YAML. */
export function PlanModes({ state, readOnly, tools, children }: Props) {
  const { mode, text, setText, pending, problem, refusal, toYaml, toForm } = state;
  return (
    <>
      <Group justify="flex-end" mb="sm">
        {mode === 'form' && tools}
        <SegmentedControl
          aria-label="Edit as"
          size="xs"
          value={mode}
          disabled={pending}
          onChange={(next) => void (next === 'yaml' ? toYaml() : toForm())}
          data={[
            { value: 'form', label: 'Form' },
            { value: 'yaml', label: 'YAML' },
          ]}
        />
      </Group>
      {problem && <ErrorPanel error={problem} />}
      {refusal && (
        <Alert color="yellow" role="alert" mb="sm">
          {refusal}
        </Alert>
      )}
      {mode === 'yaml' ? <PlanText value={text} readOnly={readOnly} onChange={setText} /> : children}
    </>
  );
}
