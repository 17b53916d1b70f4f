import { Text } from '@mantine/core';
import type { ReviewStep } from '../../../api/types';
import { PlainText } from '../../../ui/diff/PlainText';
import { wholeName } from '../run/step-name';

const STEP_TYPE_NAMES: Record<ReviewStep['type'], string> = {
  command: 'Command',
  script: 'Script',
  template: 'Config file',
  file: 'File',
  wait: 'Waits for',
  gate: 'Asks',
  plan: 'Plan',
};

export function StepText({ step }: { step: ReviewStep }) {
  return (
    <>
      <PlainText text={step.text} label={`${STEP_TYPE_NAMES[step.type]} of ${wholeName(step)}`} />
      {!step.rendered && (
        <Text size="xs" c="dimmed" mt={2}>
          Parts depend on earlier steps, so the text of the plan is shown.
        </Text>
      )}
    </>
  );
}
