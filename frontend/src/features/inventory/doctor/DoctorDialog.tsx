import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useDiagnoseServer } from '../../../api/queries/inventory/server-checks';
import type { Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { StepList } from './StepList';
import { verdictOf } from './steps';
import { ActionButton } from '../../../ui/page/ActionButton';
import { FormModal } from '../../../ui/forms/FormOverlay';

const COLOURS = { good: 'green', warn: 'yellow', bad: 'red' } as const;

interface Props {
  server: Pick<Server, 'id' | 'name' | 'hostname' | 'port' | 'username'>;
  onClose: () => void;
}

export function DoctorDialog({ server, onClose }: Props) {
  const diagnose = useDiagnoseServer();
  const begun = useRef(false);
  const run = () => diagnose.mutate(server.id);
  useEffect(() => {
    // In development, effects run twice, but one diagnosis is enough.
    if (begun.current) return;
    begun.current = true;
    diagnose.mutate(server.id);
  }, [diagnose, server.id]);
  const found = diagnose.isPending ? undefined : diagnose.data;
  const verdict = found && verdictOf(found.steps);
  return (
    <FormModal opened onClose={onClose} title={`Connection of ${server.name}`} size="lg">
      <Stack gap="md">
        <Text c="dimmed">
          Connects to{' '}
          <span className="rw-mono rw-wrap-anywhere">
            {server.username}@{server.hostname}:{server.port}
          </span>{' '}
          as a run does, step by step. Runs no plan and changes nothing on the host.
        </Text>
        <div role="status" aria-live="polite">
          {diagnose.isPending && (
            <Group gap="sm">
              <Loader size="sm" aria-hidden />
              <Text>Diagnosing, up to 30 seconds…</Text>
            </Group>
          )}
          {found && verdict && (
            <Alert color={COLOURS[verdict.tone]} py="xs">
              <Text fw={550}>{verdict.text}</Text>
            </Alert>
          )}
        </div>
        {diagnose.error && <ErrorPanel error={diagnose.error} onRetry={run} />}
        {found && <StepList steps={found.steps} />}
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {found && (
              <>
                Diagnosed <RelativeTime at={found.at} />
              </>
            )}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <ActionButton icon={IconRefresh} variant="filled" loading={diagnose.isPending} onClick={run}>
              Diagnose again
            </ActionButton>
          </Group>
        </Group>
      </Stack>
    </FormModal>
  );
}
