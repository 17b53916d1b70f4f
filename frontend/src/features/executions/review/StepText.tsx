import { Text } from '@mantine/core';
import type { ReviewStep } from '../../../api/types';
import { wholeName } from '../run/step-name';
import classes from './review.module.css';
import { VisibleText } from './VisibleText';

const WHAT: Record<ReviewStep['type'], string> = {
  command: 'Command',
  script: 'Script',
  template: 'Config file',
  file: 'File',
  wait: 'Waits for',
  gate: 'Asks',
  plan: 'Plan',
};

/** The exact text that a step would run. */
export function StepText({ step }: { step: ReviewStep }) {
  return (
    <>
      <div
        className={`${classes.code} ${classes.plain}`}
        role="group"
        aria-label={`${WHAT[step.type]} of ${wholeName(step)}`}
        tabIndex={0}
      >
        <VisibleText text={step.text} />
      </div>
      {!step.rendered && (
        <Text size="xs" c="dimmed" mt={2}>
          Some of it is only known once earlier steps have run, so it stands here as the plan has it.
        </Text>
      )}
    </>
  );
}
