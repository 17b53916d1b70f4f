import { Text } from '@mantine/core';
import type { ReviewStep } from '../../../api/types';
import { PlainText } from '../../../ui/diff/PlainText';
import { wholeName } from '../run/step-name';

/** Names that differ from the type. */
const STEP_TYPE_NAMES: Partial<Record<ReviewStep['type'], string>> = {
  template: 'Config file',
  wait: 'Waits for',
  gate: 'Asks',
};

const nameOfType = (type: ReviewStep['type']) => STEP_TYPE_NAMES[type] ?? type.charAt(0).toUpperCase() + type.slice(1);

export function StepText({ step }: { step: ReviewStep }) {
  return (
    <>
      <PlainText text={step.text} label={`${nameOfType(step.type)} of ${wholeName(step)}`} />
      {!step.rendered && (
        <Text size="xs" c="dimmed" mt={2}>
          Parts depend on earlier steps, so the text of the plan is shown.
        </Text>
      )}
    </>
  );
}
