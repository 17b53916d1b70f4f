import { Group, NumberInput, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useCreateEnrolment } from '../../../api/queries/inventory/enrolments';
import { keyChoicesQuery } from '../../../api/queries/inventory/keys';
import type { CreatedEnrolment } from '../../../api/types';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { DialogActions } from '../../../ui/forms/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { JumpServerSelect } from '../form/JumpServerSelect';
import { emptyForm, type EnrolmentForm, isEnrolmentField, LIVES, missing, toRequest } from './enrolment-form';
import { ReadyLine } from './ReadyLine';

interface Props {
  /** That is chosen at first. */
  environmentId: string | undefined;
  onClose: () => void;
}

/** Asks what a host is to be registered as, then shows the line with which it registers itself. */
export function EnrolDialog({ environmentId, onClose }: Props) {
  const [created, setCreated] = useState<CreatedEnrolment | null>(null);
  return (
    <FormModal
      key={created?.id}
      opened
      onClose={onClose}
      title={created ? 'Ready for the host' : 'Enrol a host'}
      size="lg"
      closeOnClickOutside={false}
    >
      {created ? (
        <ReadyLine created={created} onDone={onClose} />
      ) : (
        <EnrolForm environmentId={environmentId} onCreated={setCreated} onClose={onClose} />
      )}
    </FormModal>
  );
}

function EnrolForm({ environmentId, onCreated, onClose }: Props & { onCreated: (created: CreatedEnrolment) => void }) {
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
          setProblem(showOnForm(form, error, isEnrolmentField));
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text c="dimmed">
          One line, run on a new host, registers it with its own host keys, lets Runward in and has it sign in. Say here
          what the host can’t choose.
        </Text>
        <EnvironmentSelect
          label="Environment"
          withAsterisk
          placeholder="Choose an environment"
          {...form.getInputProps('environmentId')}
        />
        <Select
          label="SSH key"
          description="Its public part is put on the host."
          withAsterisk
          data={(keys.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          placeholder={keys.data?.items.length === 0 ? 'No keys yet: make one under SSH keys' : 'Choose a key'}
          {...form.getInputProps('sshKeyId')}
        />
        <Group gap="sm" align="flex-start" wrap="nowrap">
          <TextInput
            label="User name"
            description="Whom Runward signs in as. There has to be one."
            placeholder="deploy"
            withAsterisk
            style={{ flex: 1 }}
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
        <TextInput
          label="Name"
          placeholder="As the host calls itself"
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <TagsInput
          label="Tags"
          placeholder="role=web"
          description="Each as key=value."
          {...form.getInputProps('tags')}
        />
        <JumpServerSelect
          own={null}
          label="Jump server"
          placeholder="None: directly"
          {...form.getInputProps('jumpServerId')}
        />
        <Select label="Ends after" data={LIVES} allowDeselect={false} {...form.getInputProps('life')} />
        <FormErrors problem={problem} />
        <DialogActions onClose={onClose} pending={create.isPending}>
          Make the command
        </DialogActions>
      </Stack>
    </form>
  );
}
