import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { needsRunGrant } from '../../../access/environment-access';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { reviewQuery, useDecide } from '../../../api/queries/runs/steering';
import type { DecisionAction, Execution, ExecutionHost, Pause } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { stepFacts } from '../review/step-facts';
import { StepText } from '../review/StepText';
import { VisibleText } from '../../../ui/diff/VisibleText';
import { hasFailed, isExcluded } from '../run/host-outcome';
import type { Cells } from '../run/run-cells.reducer';
import { DecisionDialog } from './DecisionDialog';
import { FailedHosts } from './FailedHosts';
import { hostsOfStep } from './host-choice';
import { choicesOf, choiceText, headline, isImmediate, pausedStep } from './pause-text';
import { PauseBar } from './PauseBar';
import classes from './pause.module.css';

const MAX_CHOICE_WIDTH_PX = 250;

interface Props {
  run: Execution;
  pause: Pause;
  hosts: ExecutionHost[];
  cells: Cells;
}

export function DecisionPanel({ run, pause, hosts, cells }: Props) {
  const review = useQuery(reviewQuery(run.id));
  const decide = useDecide(run.id);
  const { missing } = useAccess();
  const [pendingAction, setPendingAction] = useState<DecisionAction | null>(null);
  const choices = choicesOf(pause);
  const stepKey = pause.stepKey ?? '';
  const step = pausedStep(run);
  const reviewed = review.data?.steps.find(({ key }) => key === stepKey);
  const here = hostsOfStep(stepKey, hosts, cells);
  const failed = here.filter(hasFailed);
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
                    loading={decide.isPending && decide.variables.action === action}
                    disabled={decide.isPending}
                    onClick={() => act(action)}
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
        {Boolean(decide.error) && pendingAction === null && <ErrorPanel error={decide.error} />}
      </PauseBar>
      {step?.type !== 'gate' && (
        <Paper p="md" mb="md" component="section" aria-label="Paused step">
          <Stack gap="md">
            {pause.reason === 'FAILURE_DECISION' && (
              <FailedHosts failed={failed} total={here.length} stepKey={stepKey} />
            )}
            {reviewed && (
              <div>
                <Title order={2} size="h5" mb={4}>
                  <VisibleText text={reviewed.name} />{' '}
                  <Text span c="dimmed" size="xs">
                    <VisibleText text={stepFacts(reviewed).join(' · ')} />
                  </Text>
                </Title>
                <StepText step={reviewed} />
                {pause.reason !== 'FAILURE_DECISION' && !step?.always && <ExcludedHosts hosts={hosts} />}
              </div>
            )}
            {review.error && <ErrorPanel error={review.error} onRetry={() => void review.refetch()} />}
            {!review.data && !review.error && <RowsSkeleton rows={2} />}
          </Stack>
        </Paper>
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

function following({ steps }: Execution, stepKey: string): string {
  const after = steps.slice(steps.findIndex(({ key }) => key === stepKey) + 1).map(({ name }) => name);
  return after.length > 0 ? `Steps after the gate: ${after.join(', ')}.` : 'No steps after the gate.';
}

function ExcludedHosts({ hosts }: { hosts: readonly ExecutionHost[] }) {
  const out = hosts.filter(isExcluded);
  if (out.length === 0) return null;
  return (
    <Text size="xs" mt={4}>
      {plural(out.length, 'host')} failed earlier and will be left out.
    </Text>
  );
}
