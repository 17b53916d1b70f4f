import { Button, Menu, Text } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import { useState } from 'react';
import { needsRunGrant } from '../../../access/environment-access';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { useDecide } from '../../../api/queries/runs/steering';
import type { DecisionAction, Execution, ExecutionHost, Pause } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { VisibleText } from '../../../ui/diff/VisibleText';
import type { Cells } from '../run/run-cells.reducer';
import { CancelRun } from '../header/CancelRun';
import { DecisionDialog } from './DecisionDialog';
import { hostsOfStep } from './host-choice';
import { usePermitted } from '../run/useRunObstacle';
import { choicesOf, choiceText, headline, isImmediate, pausedStep } from '../run/pause-text';
import { PauseBar } from './PauseBar';
import { useThumbBar } from '../run/ThumbBar';
import { PausedStep } from './PausedStep';
import classes from './pause.module.css';

const MAX_CHOICE_WIDTH_PX = 250;
const MAX_NAMED_STEPS = 10;

interface Props {
  run: Execution;
  pause: Pause;
  hosts: ExecutionHost[];
  cells: Cells;
}

export function DecisionPanel({ run, pause, hosts, cells }: Props) {
  const decide = useDecide(run.id);
  const onPhone = useThumbBar();
  const { missing } = useAccess();
  const [pendingAction, setPendingAction] = useState<DecisionAction | null>(null);
  const stepKey = pause.stepKey ?? '';
  const step = pausedStep(run);
  const here = hostsOfStep(stepKey, hosts, cells);
  // An operator who cannot decide lacks only the grant.
  const obstacle = run.awaitsYou ? null : `${missing('operator') ?? needsRunGrant(run.environmentName)}.`;
  const permitted = usePermitted(run, 'control', !run.awaitsYou);
  const act = (action: DecisionAction) => {
    decide.reset();
    if (isImmediate(action, pause.reason)) decide.mutate({ stepKey, action, pauseSince: pause.since });
    else setPendingAction(action);
  };
  const [likely] = choicesOf(pause);
  const choices = { pause, obstacle, sending: decide.isPending ? decide.variables.action : null, onChoose: act };
  return (
    <>
      <PauseBar
        pause={pause}
        title={headline(run, pause, step?.name ?? null)}
        actions={onPhone && <PhoneChoices run={run} {...choices} />}
      >
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
            {obstacle} {permitted}
          </Text>
        )}
        {onPhone && likely && (
          <Text size="xs" mt={6}>
            {choiceText(likely, pause.reason).label}: {choiceText(likely, pause.reason).sentence}
          </Text>
        )}
        {!onPhone && <Choices {...choices} />}
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

/** The most likely choice as a button, further choices in a menu. */
function PhoneChoices({ run, pause, obstacle, sending, onChoose }: ChoicesProps & { run: Execution }) {
  const [likely, ...others] = choicesOf(pause).map((action) => ({ action, ...choiceText(action, pause.reason) }));
  if (!likely) return <CancelRun run={run} />;
  return (
    <>
      <CancelRun run={run} />
      {others.length > 0 && (
        <Menu position="top-end" width={320}>
          <Menu.Target>
            <Button
              variant="default"
              rightSection={<IconChevronUp size={14} aria-hidden />}
              disabled={sending !== null}
            >
              Choices
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map(({ action, label, sentence, color }) => (
              <Can role="operator" unless={obstacle} key={action}>
                <Menu.Item
                  className={classes.thumbItem}
                  c={color && 'var(--mantine-color-error)'}
                  onClick={() => onChoose(action)}
                >
                  {label}
                  <Text size="xs" c="dimmed">
                    {sentence}
                  </Text>
                </Menu.Item>
              </Can>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Can role="operator" unless={obstacle}>
        <Button loading={sending === likely.action} disabled={sending !== null} onClick={() => onChoose(likely.action)}>
          {likely.label}
        </Button>
      </Can>
    </>
  );
}

function following({ steps }: Execution, stepKey: string): string {
  const after = steps.slice(steps.findIndex(({ key }) => key === stepKey) + 1).map(({ name }) => name);
  if (after.length === 0) return 'No steps after the gate.';
  const more = after.length > MAX_NAMED_STEPS ? ` and ${after.length - MAX_NAMED_STEPS} more` : '';
  return `Steps after the gate: ${after.slice(0, MAX_NAMED_STEPS).join(', ')}${more}.`;
}
