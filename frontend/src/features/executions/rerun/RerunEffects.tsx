import { Alert, Checkbox, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RerunPreview } from '../../../api/types';
import { describeHosts, describeRerun, describeStep } from './rerun-text';

interface Props {
  preview: RerunPreview;
  acceptGaps: boolean;
  onAcceptGaps: (accept: boolean) => void;
}

export function RerunEffects({ preview, acceptGaps, onAcceptGaps }: Props) {
  const { repeats, gaps, missing } = preview;
  return (
    <Stack gap="xs" data-testid="rerun-outlook" aria-live="polite">
      <Text size="sm">{describeRerun(preview)}</Text>
      {repeats.length > 0 && (
        <Part title="Repeats completed steps" color="gray">
          {repeats.map((each) => (
            <List.Item key={each.stepKey}>{describeStep(each)}</List.Item>
          ))}
        </Part>
      )}
      {gaps.length > 0 ? (
        <Part title="Leaves steps unfinished" color="yellow">
          {gaps.map((each) => (
            <List.Item key={each.stepKey}>{describeStep(each)}</List.Item>
          ))}
        </Part>
      ) : (
        <Text size="sm" c="dimmed">
          If nothing fails, every step of the run has then succeeded on every host.
        </Text>
      )}
      {missing.length > 0 && (
        <Part title="Refers to missing results" color="red">
          {missing.map((each) => (
            <List.Item key={`${each.stepKey} ${each.needs}`}>
              {`${each.stepKey} needs the result of ${each.needs}, which is missing on ${describeHosts(each)}`}
            </List.Item>
          ))}
          <Checkbox
            mt="xs"
            label="Start anyway"
            checked={acceptGaps}
            onChange={(event) => onAcceptGaps(event.currentTarget.checked)}
          />
        </Part>
      )}
    </Stack>
  );
}

function Part({ title, color, children }: { title: string; color: string; children: ReactNode }) {
  return (
    <Alert title={title} color={color} variant="light">
      <List size="sm">{children}</List>
    </Alert>
  );
}
