import { Button, Group, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useResolveHost } from '../../../api/queries/runs/steering';
import type { Execution, ResolveAction, UnknownHost } from '../../../api/types';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { HostCheckNote } from './HostCheckNote';
import { RESOLVE_ACTIONS, SETTLING_ACTIONS } from './resolve-labels';

interface Props {
  run: Execution;
  host: UnknownHost;
  stepName: string;
  /** Why the member can't resolve the host; null: no reason is known. */
  obstacle: string | null;
}

export function UnknownHostRow({ run, host, stepName, obstacle }: Props) {
  const { serverId, name, stepKey, check } = host;
  const navigate = useNavigate();
  // A separate mutation: reading from the host may take long and must not disturb an open dialog.
  const ask = useResolveHost(run.id);
  const resolve = useResolveHost(run.id);
  const [asking, setAsking] = useState<ResolveAction | null>(null);
  const [comment, setComment] = useState('');
  const send = (action: ResolveAction) => {
    const body = { stepKey, action, ...(comment.trim() ? { comment: comment.trim() } : {}) };
    resolve.mutate(
      { serverId, body },
      {
        onSuccess: ({ id }) => {
          setAsking(null);
          if (id !== run.id) void navigate({ to: '/executions/$id', params: { id } });
        },
      },
    );
  };
  return (
    <Group component="li" justify="space-between" gap="xs">
      <div>
        <Text fw={550}>{name}</Text>
        <Text size="xs">{stepName}</Text>
        {check && <HostCheckNote check={check} />}
      </div>
      <Group gap={6}>
        <Can role="viewer" unless={obstacle}>
          <Button
            variant="default"
            loading={ask.isPending}
            title={RESOLVE_ACTIONS.check.sentence}
            aria-label={`Read result again from ${name}`}
            onClick={() => ask.mutate({ serverId, body: { stepKey, action: 'check' } })}
          >
            {RESOLVE_ACTIONS.check.label}
          </Button>
        </Can>
        {SETTLING_ACTIONS.map((action) => (
          <Can role="viewer" unless={obstacle} key={action}>
            <Button
              variant="default"
              title={RESOLVE_ACTIONS[action].sentence}
              aria-label={`${RESOLVE_ACTIONS[action].label} ${name}`}
              onClick={() => {
                resolve.reset();
                setAsking(action);
              }}
            >
              {RESOLVE_ACTIONS[action].label}
            </Button>
          </Can>
        ))}
      </Group>
      {Boolean(ask.error) && <ErrorPanel error={ask.error} />}
      <ConfirmDialog
        opened={asking !== null}
        title={asking ? `${RESOLVE_ACTIONS[asking].label}: ${name}, ${stepName}` : ''}
        confirm={asking ? RESOLVE_ACTIONS[asking].label : ''}
        cancel="Cancel"
        color="iris"
        pending={resolve.isPending}
        error={resolve.error}
        onConfirm={() => asking && send(asking)}
        onClose={() => setAsking(null)}
      >
        {asking && RESOLVE_ACTIONS[asking].sentence}
        <TextInput
          mt="sm"
          label="Findings"
          description="Shown on the run and in the audit trail."
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
          maxLength={2000}
        />
      </ConfirmDialog>
    </Group>
  );
}
