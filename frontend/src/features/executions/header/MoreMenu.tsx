import { Button, Menu, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowsExchange, IconChevronDown, IconGavel, IconPin, IconPinnedOff, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { toProblem } from '../../../api/errors';
import { useDeleteExecution, usePin } from '../../../api/queries/runs/steering';
import type { Execution, RunPin } from '../../../api/types';
import { MenuItemLink } from '../../../ui/page/links';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';
import { shortTime } from '../../../ui/format/format';
import { Badge } from '../../../ui/status/Badge';
import { LegalHoldDialog } from './LegalHold';
import { useRunObstacle } from '../run/useRunObstacle';

export const PinnedBadge = ({ pin }: { pin: RunPin }) => (
  <Tooltip
    label={[`By ${pin.by?.name ?? 'an unknown member'}, ${shortTime(pin.at)}`, pin.note].filter(Boolean).join(': ')}
    multiline
    maw={360}
  >
    <span>
      <Badge tone="idle" icon={IconPin}>
        Pinned
      </Badge>
    </span>
  </Tooltip>
);

export function MoreMenu({ run }: { run: Execution }) {
  const [openDialog, setOpenDialog] = useState<'pin' | 'hold' | 'delete' | null>(null);
  const pin = usePin(run.id);
  const obstacle = useRunObstacle(run);
  const notAdmin = useRunObstacle(run, 'administer');
  const { can } = useAccess();
  const held = run.pin?.legalHold === true;
  const unpin = () =>
    pin.mutate(null, {
      onError: (error) =>
        notifications.show({ color: 'red', title: toProblem(error).title, message: toProblem(error).message }),
    });
  return (
    <>
      <Menu position="bottom-end" width={300}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />} loading={pin.isPending}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuItemLink
            to="/executions/$id/compare"
            params={{ id: run.id }}
            search={{}}
            leftSection={<IconArrowsExchange size={15} aria-hidden />}
          >
            Compare with…
          </MenuItemLink>
          <Can role="viewer" unless={obstacle ?? (held ? 'Under a legal hold' : null)}>
            {run.pin ? (
              <Menu.Item leftSection={<IconPinnedOff size={15} aria-hidden />} onClick={unpin}>
                Unpin
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconPin size={15} aria-hidden />} onClick={() => setOpenDialog('pin')}>
                Pin
                <Text size="xs" c="dimmed">
                  Retention keeps the run.
                </Text>
              </Menu.Item>
            )}
          </Can>
          {can('admin') && !held && (
            <Menu.Item leftSection={<IconGavel size={15} aria-hidden />} onClick={() => setOpenDialog('hold')}>
              Set legal hold
              <Text size="xs" c="dimmed">
                The run is kept until two admins lift the hold.
              </Text>
            </Menu.Item>
          )}
          <Can role="viewer" unless={notAdmin ?? deletionObstacle(run)}>
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={15} aria-hidden />}
              onClick={() => setOpenDialog('delete')}
            >
              Delete run
            </Menu.Item>
          </Can>
        </Menu.Dropdown>
      </Menu>
      {openDialog === 'pin' && <PinDialog run={run} onClose={() => setOpenDialog(null)} />}
      {openDialog === 'hold' && <LegalHoldDialog run={run} onClose={() => setOpenDialog(null)} />}
      {openDialog === 'delete' && <DeleteDialog run={run} onClose={() => setOpenDialog(null)} />}
    </>
  );
}

/** Why the run cannot be deleted now; null = it can. */
function deletionObstacle({ finished, pin }: Execution): string | null {
  if (!finished) return 'Available after the run has finished';
  if (pin?.legalHold) return 'Under a legal hold';
  return pin ? 'Unpin it first' : null;
}

function PinDialog({ run, onClose }: { run: Execution; onClose: () => void }) {
  const [note, setNote] = useState('');
  const pin = usePin(run.id);
  return (
    <ConfirmDialog
      opened
      title="Pin this run?"
      confirm="Pin"
      cancel="Cancel"
      color="iris"
      pending={pin.isPending}
      error={pin.error}
      onConfirm={() => pin.mutate(note.trim(), { onSuccess: onClose })}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text>Retention keeps the run, and admins cannot delete it until it is unpinned.</Text>
        <TextInput
          label="Reason"
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={500}
        />
      </Stack>
    </ConfirmDialog>
  );
}

function DeleteDialog({ run, onClose }: { run: Execution; onClose: () => void }) {
  const remove = useDeleteExecution(run.id);
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      opened
      title={`Delete this run of ${run.planName}?`}
      confirm="Delete run"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            notifications.show({ message: 'Run deleted.' });
            void navigate({ to: '/executions' });
          },
        })
      }
      onClose={onClose}
    >
      Deletes output, events and results permanently. The audit trail keeps its entries about the run.
    </ConfirmDialog>
  );
}
