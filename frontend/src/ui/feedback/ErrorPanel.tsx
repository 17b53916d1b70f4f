import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { toProblem } from '../../api/errors';
import { CopyButton } from '../copy/CopyButton';
import { useNow } from '../format/useNow';
import { OtherServers } from './OtherServers';

interface Props {
  error: unknown;
  onRetry?: () => void;
  title?: string;
}

/** An error, advice, and the request ID for the server log. */
export function ErrorPanel({ error, onRetry, title }: Props) {
  const problem = toProblem(error);
  const wait = useRetryDelay(problem.retryAt);
  return (
    <Alert color="red" role="alert" icon={<IconAlertCircle aria-hidden />} title={title ?? problem.title}>
      <Stack gap="xs">
        <Text>{problem.message}</Text>
        {problem.retryAt !== null && (
          <Text fw={550}>{wait > 0 ? `Try again in ${wait} s.` : 'You can try again now.'}</Text>
        )}
        {problem.errors.length > 0 && (
          <ul className="rw-list">
            {problem.errors.map((item) => (
              <li key={item.path + item.code}>{item.message}</li>
            ))}
          </ul>
        )}
        <OtherServers servers={problem.otherServers} hidden={problem.hiddenServers} />
        {(problem.requestId !== null || onRetry) && (
          <Group gap="xs">
            {onRetry && (
              <Button variant="default" onClick={onRetry} disabled={wait > 0}>
                Try again
              </Button>
            )}
            {problem.requestId !== null && (
              <Group gap={4}>
                <Text size="xs" c="dimmed">
                  Request ID
                </Text>
                <Code>{problem.requestId}</Code>
                <CopyButton value={problem.requestId} what="request ID" />
              </Group>
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** Returns the whole seconds until a time; 0 = the time is past or null. */
function useRetryDelay(until: number | null): number {
  const now = useNow();
  return until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1000));
}
