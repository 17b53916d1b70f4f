import { Group, NumberInput, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useCreateEnrolment } from '../../../api/queries/inventory/enrolments';
import { keyChoicesQuery } from '../../../api/queries/inventory/keys';
import type { CreatedEnrolment } from '../../../api/types';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { JumpServerSelect } from '../form/JumpServerSelect';
import { emptyForm, type EnrolmentForm, isEnrolmentField, LIFETIMES, missing, toRequest } from './enrolment-form';
import { ReadyLine } from './ReadyLine';

interface Props {
  environmentId: string | undefined;
  onClose: () => void;
}

export function EnrolDialog({ environmentId, onClose }: Props) {
  const [createdEnrolment, setCreatedEnrolment] = useState<(CreatedEnrolment & { command: string }) | null>(null);
  const onCreated = ({ command, ...created }: CreatedEnrolment) =>
    command === undefined ? onClose() : setCreatedEnrolment({ ...created, command });
  return (
    <FormModal
      key={createdEnrolment?.id}
      opened
      onClose={onClose}
      title={createdEnrolment ? 'Command for the host' : 'Enrol a host'}
      size="lg"
      closeOnClickOutside={false}
    >
      {createdEnrolment ? (
        <ReadyLine created={createdEnrolment} onDone={onClose} />
      ) : (
        <EnrolForm environmentId={environmentId} onCreated={onCreated} onClose={onClose} />
      )}
    </FormModal>
  );
}

function EnrolForm({
  environmentId,
  onCreated,
  onClose,
}: Props & { onCreated: (createdEnrolment: CreatedEnrolment) => void }) {
  const create = useCreateEnrolment();
  const attempt = useIdempotencyKey();
  const keys = useQuery(keyChoicesQuery);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<EnrolmentForm>({ initialValues: emptyForm(environmentId), validate: missing });
  const submit = form.onSubmit((values) => {
    const body = toRequest(values);
    setProblem(null);
    create.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: onCreated,
        onError: (error) => {
          attempt.refused(error);
          setProblem(showErrorOnForm(form, error, isEnrolmentField));
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text c="dimmed">
          Creates a command for a new host. The command registers the host with its host keys and authorizes the SSH
          key. Runward then signs in.
        </Text>
        <EnvironmentSelect
          label="Environment"
          withAsterisk
          placeholder="Choose an environment"
          {...form.getInputProps('environmentId')}
        />
        <Select
          label="SSH key"
          description="Its public key is installed on the host."
          withAsterisk
          data={(keys.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          placeholder={keys.data?.items.length === 0 ? 'No keys yet. Create one under SSH keys.' : 'Choose an SSH key'}
          {...form.getInputProps('sshKeyId')}
        />
        <HostFields form={form} />
        <Select label="Expires after" data={LIFETIMES} allowDeselect={false} {...form.getInputProps('lifetime')} />
        <FormErrors problem={problem} />
        <DialogActions onClose={onClose} pending={create.isPending}>
          Create command
        </DialogActions>
      </Stack>
    </form>
  );
}

function HostFields({ form }: { form: UseFormReturnType<EnrolmentForm> }) {
  return (
    <>
      <Group gap="sm" align="flex-start" wrap="nowrap">
        <TextInput
          label="User name"
          description="Existing user that Runward signs in as."
          placeholder="deploy"
          withAsterisk
          flex={1}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('username')}
        />
        <NumberInput
          label="Port"
          w={90}
          min={1}
          max={65535}
          allowDecimal={false}
          hideControls
          {...form.getInputProps('port')}
        />
      </Group>
      <TextInput label="Name" placeholder="Host name of the machine" maxLength={100} {...form.getInputProps('name')} />
      <TagsInput
        label="Tags"
        placeholder="role=web"
        description="key=value. Press Enter after each tag."
        {...form.getInputProps('tags')}
      />
      <JumpServerSelect
        own={null}
        label="Jump server"
        placeholder="None (direct connection)"
        {...form.getInputProps('jumpServerId')}
      />
    </>
  );
}
