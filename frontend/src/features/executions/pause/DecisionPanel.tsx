import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { needsRunGrant } from '../../../access/environment-access';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { useDecide } from '../../../api/queries/runs/steering';
import type { DecisionAction, Execution, ExecutionHost, Pause } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { VisibleText } from '../../../ui/diff/VisibleText';
import type { Cells } from '../run/run-cells.reducer';
import { DecisionDialog } from './DecisionDialog';
import { hostsOfStep } from './host-choice';
import { choicesOf, choiceText, headline, isImmediate, pausedStep } from './pause-text';
import { PauseBar } from './PauseBar';
import { PausedStep } from './PausedStep';
import classes from './pause.module.css';

const MAX_CHOICE_WIDTH_PX = 250;

interface Props {
  run: Execution;
  pause: Pause;
  hosts: ExecutionHost[];
  cells: Cells;
}

export function DecisionPanel({ run, pause, hosts, cells }: Props) {
  const decide = useDecide(run.id);
  const { missing } = useAccess();
  const [pendingAction, setPendingAction] = useState<DecisionAction | null>(null);
  const stepKey = pause.stepKey ?? '';
  const step = pausedStep(run);
  const here = hostsOfStep(stepKey, hosts, cells);
  // An operator who cannot decide lacks only the grant.
  const obstacle = run.awaitsYou ? null : (missing('operator') ?? needsRunGrant(run.environmentName));
  const act = (action: DecisionAction) => {
    decide.reset();
    if (isImmediate(action, pause.reason)) decide.mutate({ stepKey, action, pauseSince: pause.since });
    else setPendingAction(action);
  };
  return (
    <>
      <PauseBar pause={pause} title={headline(run, pause, step?.name ?? null)}>
        {pause.text && (
          <Text component="div" className={classes.quote} data-testid="pause-text">
            <VisibleText text={pause.text} />
          </Text>
        )}
        {step?.type === 'gate' && (
          <Text size="xs" mt={6}>
            {following(run, stepKey)}
          </Text>
        )}
        {obstacle && (
          <Text mt={8} fw={550}>
            {obstacle}.
          </Text>
        )}
        <Choices
          pause={pause}
          obstacle={obstacle}
          sending={decide.isPending ? decide.variables.action : null}
          onChoose={act}
        />
        {Boolean(decide.error) && pendingAction === null && <ErrorPanel error={decide.error} />}
      </PauseBar>
      {step?.type !== 'gate' && (
        <PausedStep run={run} pause={pause} hosts={hosts} here={here} excludes={step?.always !== true} />
      )}
      {pendingAction && (
        <DecisionDialog
          run={run}
          pause={pause}
          action={pendingAction}
          hosts={here}
          onClose={() => setPendingAction(null)}
        />
      )}
    </>
  );
}

interface ChoicesProps {
  pause: Pause;
  obstacle: string | null;
  /** Action whose request is running; null = none. */
  sending: DecisionAction | null;
  onChoose: (action: DecisionAction) => void;
}

function Choices({ pause, obstacle, sending, onChoose }: ChoicesProps) {
  const choices = choicesOf(pause);
  return (
    <div className={classes.choices} style={{ maxWidth: choices.length * MAX_CHOICE_WIDTH_PX }}>
      {choices.map((action, index) => {
        const { label, sentence, color } = choiceText(action, pause.reason);
        return (
          <div key={action}>
            <Can role="operator" unless={obstacle}>
              <Button
                fullWidth
                variant={index === 0 ? 'filled' : 'default'}
                c={color && index > 0 && obstacle === null ? 'var(--mantine-color-error)' : undefined}
                loading={sending === action}
                disabled={sending !== null}
                onClick={() => onChoose(action)}
              >
                {label}
              </Button>
            </Can>
            <Text size="xs" mt={2}>
              {sentence}
            </Text>
          </div>
        );
      })}
    </div>
  );
}

function following({ steps }: Execution, stepKey: string): string {
  const after = steps.slice(steps.findIndex(({ key }) => key === stepKey) + 1).map(({ name }) => name);
  return after.length > 0 ? `Steps after the gate: ${after.join(', ')}.` : 'No steps after the gate.';
}
