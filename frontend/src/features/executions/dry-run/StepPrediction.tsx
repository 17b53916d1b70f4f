import { wholeName } from '../run/step-name';
import { Box, Group, Stack, Text, Title } from '@mantine/core';
import type { ExecutionStep, Prediction, ReviewStep } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { readDiff } from '../../../ui/diff/diff-lines';
import { DiffText } from '../../../ui/diff/DiffText';
import { StepText } from '../review/StepText';
import { VisibleText } from '../../../ui/diff/VisibleText';
import { VerdictBadge } from './VerdictBadge';

interface Props {
  step: ExecutionStep;
  reviewedStep: ReviewStep | undefined;
  predictions: readonly Prediction[];
}

export function StepPrediction({ step, reviewedStep, predictions }: Props) {
  return (
    <section aria-label={`Step ${wholeName(step)}`}>
      <Title order={3} size="h5" mb={4}>
        <VisibleText text={wholeName(step)} />
      </Title>
      {reviewedStep && <StepText step={reviewedStep} />}
      <Stack gap="xs" mt="xs">
        {step.type === 'gate' && (
          <Text c="dimmed">
            {step.status === 'FAILED'
              ? 'The plan is incomplete here. A real run is blocked.'
              : 'A real run would wait for a decision here.'}
          </Text>
        )}
        {predictions.map(({ verdict, reason, diff, hosts, hostCount }) => (
          <div key={`${verdict} ${reason?.text} ${diff}`}>
            <Group gap={8}>
              <VerdictBadge verdict={verdict} />
              <Text component="span" fw={550}>
                {hosts.map(({ serverName }) => serverName).join(', ')}
                {hostCount > hosts.length && ` and ${plural(hostCount - hosts.length, 'more host')}`}
              </Text>
            </Group>
            {reason && (
              <Text size="xs" mt={2} className="rw-wrap-anywhere">
                {reason.text}
              </Text>
            )}
            {diff && (
              <Box mt={4}>
                <DiffText lines={readDiff(diff)} label={`Changes in ${wholeName(step)}`} />
              </Box>
            )}
          </div>
        ))}
      </Stack>
    </section>
  );
}
