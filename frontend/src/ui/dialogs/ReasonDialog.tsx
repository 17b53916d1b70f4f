import { Stack, Text, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { DialogActions } from './DialogActions';
import { FormModal } from '../forms/FormOverlay';

interface Props {
  title: string;
  children: ReactNode;
  label?: string;
  description?: string;
  /** Whether a reason is required. */
  required?: boolean;
  initial?: string;
  confirm: string;
  pending: boolean;
  error: unknown;
  /** Called with the trimmed reason, which is empty only if none is required. */
  onSubmit: (reason: string) => void;
  onClose: () => void;
}

export function ReasonDialog({
  title,
  children,
  label = 'Reason',
  description = 'Shown on the run and in the audit trail.',
  required = true,
  initial = '',
  confirm,
  pending,
  error,
  onSubmit,
  onClose,
}: Props) {
  const [reason, setReason] = useState(initial);
  return (
    <FormModal opened onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!required || reason.trim() !== '') onSubmit(reason.trim());
        }}
      >
        <Stack gap="sm">
          <Text>{children}</Text>
          <Textarea
            label={label}
            description={description}
            withAsterisk={required}
            required={required}
            autosize
            minRows={1}
            maxRows={4}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
          {Boolean(error) && <ErrorPanel error={error} />}
          <DialogActions onClose={onClose} pending={pending}>
            {confirm}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
