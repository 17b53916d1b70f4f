import { Alert, Button, Stack } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconSend } from '@tabler/icons-react';
import { useTestNotification } from '../../api/queries/automation/notifications';
import type { TestNotificationRuleRequest } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';

interface Props {
  /** What is sent by: a stored rule, or what is typed; null: not before something is filled in, which that says. */
  what: () => { id: string } | { body: TestNotificationRuleRequest } | null;
  /** What it sends by, where that is not what is typed. */
  note?: string | null;
}

/** Sends a test, and shows what happened. */
export function SendTest({ what, note }: Props) {
  const test = useTestNotification();
  const send = () => {
    test.reset();
    const by = what();
    if (by) test.mutate(by);
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        variant="default"
        leftSection={<IconSend size={15} aria-hidden />}
        loading={test.isPending}
        onClick={send}
      >
        Send a test
      </Button>
      {test.error && <ErrorPanel error={test.error} />}
      {test.data && (
        <Alert
          w="100%"
          role="status"
          color={test.data.sent ? 'green' : 'red'}
          icon={test.data.sent ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
          title={test.data.sent ? 'The test was taken' : 'The test did not get through'}
        >
          {test.data.sent
            ? `The receiver took it after ${test.data.durationMs} ms. See whether it has come.`
            : test.data.error}
          {note ? ` ${note}` : ''}
        </Alert>
      )}
    </Stack>
  );
}
