import { Alert, Code, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Execution } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';
import { statusStyle } from '../../../ui/status/statuses';
import { lastState } from '../../../ui/format/last-state';

interface Props {
  run: Execution;
  failure: NonNullable<Execution['summary']['firstFailure']>;
}

export function FirstFailure({ run, failure }: Props) {
  const { stepKey, serverName, status, exitCode, reason, lastLines } = failure;
  const message = reason?.text ?? null;
  const step = run.steps.find(({ key }) => key === stepKey)?.name ?? stepKey;
  const how = `${statusStyle(status).label}${exitCode === null ? '' : ` with exit code ${exitCode}`}`;
  return (
    <Alert
      color="red"
      mb="md"
      py={8}
      icon={<IconAlertTriangle aria-hidden />}
      title="First failure"
      classNames={{ body: 'rw-shrinkable' }}
    >
      <Stack gap={6}>
        <Text className="rw-wrap-anywhere">
          <AnchorLink to="." search={(before) => ({ ...before, host: serverName, step: stepKey })} underline="always">
            {step} on {serverName}
          </AnchorLink>
          : {how}. {message}
        </Text>
        {lastLines.length > 0 && (
          <Code block tabIndex={0} role="group" aria-label="Last lines of output">
            {lastLines.map(lastState).join('\n')}
          </Code>
        )}
      </Stack>
    </Alert>
  );
}
