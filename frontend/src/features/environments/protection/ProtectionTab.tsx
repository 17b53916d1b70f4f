import { Alert, Button, Fieldset, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconGitMerge } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import type { Environment } from '../../../api/types';
import { ProtectedNotice } from '../../../ui/environments/ProtectedNotice';
import { ConfirmHosts } from '../../../ui/forms/ConfirmHosts';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { DepartedServers } from './DepartedServers';
import { ProtectionChanges } from './ProtectionChanges';
import { ApprovalFields, OperationFields } from './ProtectionFields';
import { ProtectionRequestDialog } from './ProtectionRequestDialog';
import { useProtectionForm } from './useProtectionForm';

export function ProtectionTab({ environment }: { environment: Environment }) {
  // Increased when a change of the settings was decided, to reset the form to the saved settings.
  const [formVersion, setFormVersion] = useState(0);
  return (
    <ProtectionForm key={formVersion} environment={environment} onDecided={() => setFormVersion(formVersion + 1)} />
  );
}

function ProtectionForm({ environment, onDecided }: { environment: Environment; onDecided: () => void }) {
  const notAdmin = useAccess().missing('admin');
  const state = useProtectionForm(environment);
  const { form, problem } = state;
  const onRequested = (overridden: boolean) => {
    state.closeRequest();
    onDecided();
    notifications.show({ message: overridden ? 'Protection changed by an emergency override.' : 'Change requested.' });
  };
  return (
    <form onSubmit={form.onSubmit(() => state.save())} noValidate>
      <Stack gap="md" maw={640}>
        <ProtectionChanges environment={environment} />
        <DepartedServers environment={environment} />
        {state.weakened && (
          <ProtectionRequestDialog
            environment={environment}
            settings={state.weakened}
            onDone={onRequested}
            onClose={state.closeRequest}
          />
        )}
        {environment.protected && <ProtectedNotice policy={environment} />}
        {notAdmin && <Text c="dimmed">{notAdmin} to change these.</Text>}
        <Paper p="md">
          <Fieldset variant="unstyled" disabled={notAdmin !== null}>
            <Stack gap="md">
              <ApprovalFields form={form} />
              <OperationFields form={form} />
            </Stack>
          </Fieldset>
        </Paper>
        {state.isConflict ? (
          <ProtectionConflict onKeep={state.keepEdits} onDiscard={state.discardEdits} />
        ) : (
          <FormErrors problem={problem} />
        )}
        <ConfirmHosts problem={problem} pending={state.pending} onConfirm={() => state.save(true)} />
        <Group justify="flex-end">
          {state.isEdited && <Text c="dimmed">Not saved yet.</Text>}
          <Can role="admin">
            <Button type="submit" loading={state.pending}>
              Save protection
            </Button>
          </Can>
        </Group>
      </Stack>
    </form>
  );
}

function ProtectionConflict({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  return (
    <Alert color="yellow" role="alert" icon={<IconGitMerge aria-hidden />} title="Someone else changed the protection">
      <Stack gap="xs" align="flex-start">
        <Text>Not saved. Your edits are still in the form.</Text>
        <Group gap="xs">
          <Button variant="default" onClick={onKeep}>
            Keep my edits
          </Button>
          <Button variant="default" onClick={onDiscard}>
            Load current protection and discard my edits
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
