import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconGavel } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import { meQuery } from '../../../api/queries/access/session';
import { useLegalHold, usePin } from '../../../api/queries/runs/steering';
import type { Execution, RunPin } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { exactTime } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';
import { ReasonDialog } from '../../../ui/dialogs/ReasonDialog';

/** Who holds the run and why. Admins can lift the hold here. */
export function LegalHold({ run, pin }: { run: Execution; pin: RunPin }) {
  const { can } = useAccess();
  const request = pin.liftRequest;
  return (
    <Alert color="blue" mb="md" py={8} icon={<IconGavel aria-hidden />} title="Under a legal hold">
      <Stack gap="xs">
        <Text className="rw-wrap-anywhere">
          Set by {pin.by?.name ?? 'an unknown member'}, <RelativeTime at={pin.at} />
          {pin.note ? `: ${pin.note}` : '.'}
        </Text>
        <Text>
          {request
            ? `${request.by.name} requested to lift the hold. It is lifted when a second admin agrees by ${exactTime(request.expiresAt)}.`
            : 'No member can delete the run, and retention keeps it, until two admins lift the hold.'}
        </Text>
        {can('admin') && <LiftControls run={run} request={request} />}
      </Stack>
    </Alert>
  );
}

/** One admin requests the lift and another one confirms it. Each of them can cancel the request. */
function LiftControls({ run, request }: { run: Execution; request: RunPin['liftRequest'] }) {
  const { data: me } = useQuery(meQuery);
  const [dialogOpen, setDialogOpen] = useState(false);
  const lift = usePin(run.id);
  const keep = useLegalHold(run.id);
  const own = request !== null && request.by.id === me?.id;
  return (
    <>
      {keep.error && <ErrorPanel error={keep.error} />}
      <Group gap="xs">
        {!own && (
          <Button size="xs" variant={request ? 'filled' : 'default'} onClick={() => setDialogOpen(true)}>
            {request ? 'Lift legal hold…' : 'Request to lift…'}
          </Button>
        )}
        {request && (
          <Button size="xs" variant="default" loading={keep.isPending} onClick={() => keep.mutate(undefined)}>
            {own ? 'Withdraw request' : 'Keep legal hold'}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={dialogOpen}
        title={request ? 'Lift the legal hold?' : 'Request to lift the legal hold?'}
        confirm={request ? 'Lift legal hold' : 'Send request'}
        cancel="Cancel"
        color={request ? 'red' : 'iris'}
        pending={lift.isPending}
        error={lift.error}
        onConfirm={() => lift.mutate(null, { onSuccess: () => setDialogOpen(false) })}
        onClose={() => setDialogOpen(false)}
      >
        {request
          ? 'Retention and admins can then delete the run. You confirm this as the second admin.'
          : 'The hold stays until a second admin agrees, within seven days. Runward sends no message: ask another admin.'}
      </ConfirmDialog>
    </>
  );
}

export function LegalHoldDialog({ run, onClose }: { run: Execution; onClose: () => void }) {
  const hold = useLegalHold(run.id);
  return (
    <ReasonDialog
      title="Put this run under a legal hold?"
      initial={run.pin?.note ?? ''}
      confirm="Set legal hold"
      pending={hold.isPending}
      error={hold.error}
      onSubmit={(reason) => hold.mutate(reason, { onSuccess: onClose })}
      onClose={onClose}
    >
      No member can delete the run, and retention keeps it. Lifting the hold takes two admins.
    </ReasonDialog>
  );
}
