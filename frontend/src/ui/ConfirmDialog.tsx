import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { toProblem } from '../api/errors';
import { ErrorPanel } from './ErrorPanel';

interface Props {
  opened: boolean;
  title: string;
  children: ReactNode;
  /** The verb on the button. */
  confirm: string;
  cancel?: string;
  pending: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that can't be taken back; stays open and pending until the server has answered. */
export function ConfirmDialog({
  opened,
  title,
  children,
  confirm,
  cancel = 'Keep',
  pending,
  error,
  onConfirm,
  onClose,
}: Props) {
  const referrers = error ? toProblem(error).referrers : [];
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeOnClickOutside={!pending}>
      <Stack gap="md">
        <Text component="div">{children}</Text>
        {Boolean(error) && <ErrorPanel error={error} />}
        {referrers.length > 0 && (
          <Text size="xs" c="dimmed">
            Used by {referrers.map(({ name, type }) => `${type} ${name}`).join(', ')}.
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending} data-autofocus>
            {cancel}
          </Button>
          <Button color="red" loading={pending} onClick={onConfirm}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
