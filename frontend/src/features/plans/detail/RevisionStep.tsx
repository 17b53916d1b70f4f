import { Code, Text } from '@mantine/core';
import type { PlanStep } from '../../../api/types';
import { formType } from '../form/types/step-types';
import { StepLinks } from '../outline/StepLinks';

export function RevisionStep({ step }: { step: PlanStep }) {
  const text = formType(step.type).summary(step);
  return (
    <div>
      <Text fw={550} mb={4} component="div">
        {step.name} {step.targets && <Code>{step.targets}</Code>}
        {step.type !== 'command' && (
          <Text span size="xs" c="dimmed">
            {step.type}
          </Text>
        )}{' '}
        <StepLinks step={step} />
        {step.forEach != null && (
          <Text span size="xs" c="dimmed">
            for each of {Array.isArray(step.forEach) ? step.forEach.join(', ') : step.forEach}
          </Text>
        )}
      </Text>
      {text !== '' && (
        <Code block tabIndex={0} className="rw-pre-wrap">
          {text}
        </Code>
      )}
    </div>
  );
}
