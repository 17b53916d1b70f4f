import { Text } from '@mantine/core';
import type { ReviewStep } from '../../../api/types';
import { PlainText } from '../../../ui/diff/PlainText';
import { wholeName } from '../run/step-name';

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
      <PlainText text={step.text} label={`${WHAT[step.type]} of ${wholeName(step)}`} />
      {!step.rendered && (
        <Text size="xs" c="dimmed" mt={2}>
          Some of it is only known once earlier steps have run, so it stands here as the plan has it.
        </Text>
      )}
    </>
  );
}
