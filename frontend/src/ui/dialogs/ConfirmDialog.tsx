import { Button, Stack, Text } from '@mantine/core';
import { DialogBar } from './DialogBar';
import { FormModal } from '../forms/FormOverlay';
import type { ReactNode } from 'react';
import { toProblem } from '../../api/errors';
import { ErrorPanel } from '../feedback/ErrorPanel';

interface Props {
  opened: boolean;
  title: string;
  children: ReactNode;
  confirm: string;
  cancel?: string;
  /** Colour of the confirm button. Use red unless the action is harmless. */
  color?: string;
  pending: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

const doNothing = () => undefined;

/** Asks before an irreversible action. Stays open until the server has answered. */
export function ConfirmDialog({
  opened,
  title,
  children,
  confirm,
  cancel = 'Cancel',
  color = 'red',
  pending,
  error,
  onConfirm,
  onClose,
}: Props) {
  const { referrers, hiddenReferrers } = toProblem(error);
  return (
    <FormModal opened={opened} onClose={pending ? doNothing : onClose} title={title} withCloseButton={!pending}>
      <Stack gap="md">
        <Text component="div">{children}</Text>
        {Boolean(error) && <ErrorPanel error={error} />}
        {referrers.length + hiddenReferrers > 0 && (
          <Text size="xs" c="dimmed">
            Used by{' '}
            {[
              ...referrers.map(({ name, type }) => `${type} ${name}`),
              ...(hiddenReferrers > 0 ? [`${hiddenReferrers} more that you cannot view`] : []),
            ].join(', ')}
            .
          </Text>
        )}
        <DialogBar>
          <Button variant="default" onClick={onClose} disabled={pending} data-autofocus>
            {cancel}
          </Button>
          <Button color={color} loading={pending} onClick={onConfirm}>
            {confirm}
          </Button>
        </DialogBar>
      </Stack>
    </FormModal>
  );
}
