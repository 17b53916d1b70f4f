import { Alert, Checkbox, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RerunPreview } from '../../../api/types';
import { describeHosts, describeRerun, describeStep } from './rerun-text';

interface Props {
  preview: RerunPreview;
  acceptGaps: boolean;
  onAcceptGaps: (accept: boolean) => void;
}

/** What a rerun would do, repeat and omit. */
export function RerunEffects({ preview, acceptGaps, onAcceptGaps }: Props) {
  const { repeats, gaps, missing } = preview;
  return (
    <Stack gap="xs" data-testid="rerun-outlook" aria-live="polite">
      <Text size="sm">{describeRerun(preview)}</Text>
      {repeats.length > 0 && (
        <Part title="Runs again where it was done" color="gray">
          {repeats.map((each) => (
            <List.Item key={each.stepKey}>{describeStep(each)}</List.Item>
          ))}
        </Part>
      )}
      {gaps.length > 0 ? (
        <Part title="Stays undone" color="yellow">
          {gaps.map((each) => (
            <List.Item key={each.stepKey}>{describeStep(each)}</List.Item>
          ))}
        </Part>
      ) : (
        <Text size="sm" c="dimmed">
          Leaves no step undone on any host of this run.
        </Text>
      )}
      {missing.length > 0 && (
        <Part title="Looks for results that are not there" color="red">
          {missing.map((each) => (
            <List.Item key={`${each.stepKey} ${each.needs}`}>
              {`${each.stepKey} looks back at ${each.needs}, which has no result on ${describeHosts(each)}`}
            </List.Item>
          ))}
          <Checkbox
            mt="xs"
            label="Start it all the same"
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
