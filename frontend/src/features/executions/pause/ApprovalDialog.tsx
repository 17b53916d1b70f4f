import { Button, Stack, Text, Textarea } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { useState } from 'react';
import { toProblem } from '../../../api/errors';
import { useApprove, useReject } from '../../../api/queries/runs/steering';
import type { Execution } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';

export type Verb = 'approve' | 'reject';

interface Props {
  run: Execution;
  verb: Verb;
  /** Digest of the displayed evidence. */
  digest: string;
  /** Called if the digest of the run has changed. */
  onStale: () => void;
  onClose: () => void;
}

export function ApprovalDialog({ run, verb, digest, onStale, onClose }: Props) {
  const [comment, setComment] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const approve = useApprove(run.id);
  const reject = useReject(run.id);
  const [action, approves] = verb === 'approve' ? [approve, true] : [reject, false];
  const text = comment.trim();
  const submit = () => {
    if (!approves && text === '') {
      setIsMissing(true);
      return;
    }
    const settle = {
      onSuccess: onClose,
      onError: (error: unknown) => {
        if (toProblem(error).code === 'digest_changed') onStale();
      },
    };
    if (approves) approve.mutate({ digest, ...(text ? { comment: text } : {}) }, settle);
    else reject.mutate({ digest, comment: text }, settle);
  };
  return (
    <FormModal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={approves ? 'Approve this run?' : 'Reject this run?'}
    >
      <Stack gap="md">
        <Text>
          {approves
            ? `${run.planName} can then ${run.startedAt === null ? 'run' : 'continue'} on ${plural(run.hostCount, 'host')} in ${run.environmentName}, exactly as shown. Your approval is recorded in the audit trail.`
            : `The run ends as rejected. ${run.startedAt === null ? 'No host was touched.' : 'Changes already made are not undone.'} The requester sees your reason.`}
        </Text>
        <Text size="xs" c="dimmed">
          Digest <span className="rw-mono">{digest.slice(0, 16)}…</span>
        </Text>
        <Textarea
          label={approves ? 'Comment' : 'Reason'}
          description={approves ? 'Shown on the run and in the audit trail.' : undefined}
          withAsterisk={!approves}
          error={isMissing && text === '' ? 'Explain what must change.' : undefined}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={2000}
          data-autofocus
        />
        {Boolean(action.error) && <ErrorPanel error={action.error} />}
        <DialogBar>
          <Button variant="default" onClick={onClose} disabled={action.isPending}>
            Cancel
          </Button>
          <Button color={approves ? undefined : 'red'} loading={action.isPending} onClick={submit}>
            {approves ? 'Approve run' : 'Reject run'}
          </Button>
        </DialogBar>
      </Stack>
    </FormModal>
  );
}
