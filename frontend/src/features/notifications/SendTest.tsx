import { Alert, Stack } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconSend } from '@tabler/icons-react';
import { useTestNotification } from '../../api/queries/automation/notifications';
import type { TestNotificationRuleRequest } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { ActionButton } from '../../ui/page/ActionButton';

interface Props {
  /** Returns the stored rule or the form values to test. Null: the form is incomplete, and shows why. */
  what: () => { id: string } | { body: TestNotificationRuleRequest } | null;
  /** Note for a test that does not use the form values. */
  note?: string | null;
}

export function SendTest({ what, note }: Props) {
  const test = useTestNotification();
  const send = () => {
    test.reset();
    const by = what();
    if (by) test.mutate(by);
  };
  return (
    <Stack gap="xs" align="flex-start">
      <ActionButton icon={IconSend} loading={test.isPending} onClick={send}>
        Send test message
      </ActionButton>
      {test.error && <ErrorPanel error={test.error} />}
      {test.data && (
        <Alert
          w="100%"
          role="status"
          color={test.data.sent ? 'green' : 'red'}
          icon={test.data.sent ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
          title={test.data.sent ? 'Test message accepted' : 'Test message failed'}
        >
          {test.data.sent
            ? `The receiver accepted it after ${test.data.durationMs} ms. Check that it has arrived.`
            : test.data.reason?.text}
          {note ? ` ${note}` : ''}
        </Alert>
      )}
    </Stack>
  );
}
