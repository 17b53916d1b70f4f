import {
  Button,
  Group,
  Input,
  PasswordInput,
  Select,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useCreateGitSource, useUpdateGitSource } from '../../../api/queries/library/git-sources';
import { keyChoicesQuery } from '../../../api/queries/inventory/keys';
import type { GitSource } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showErrorOnFields } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import {
  fieldOf,
  formOf,
  type GitSourceForm,
  INTERVALS,
  isSsh,
  missing,
  NEW_SOURCE,
  generateSecret,
  type SignIn,
  toCreate,
  toUpdate,
} from './git-source-form';

interface Props {
  source?: GitSource;
  onSaved: (source: GitSource) => void;
  onClose: () => void;
}

export function GitSourceDialog({ source: given, onSaved, onClose }: Props) {
  const [source] = useState(given);
  const create = useCreateGitSource();
  const update = useUpdateGitSource();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<GitSourceForm>({ initialValues: source ? formOf(source) : NEW_SOURCE, validate: missing });
  const onError = (error: unknown) => {
    attempt.refused(error);
    setProblem(showErrorOnFields(form, error, fieldOf));
  };
  const submit = form.onSubmit((values) => {
    setProblem(null);
    if (source) {
      update.mutate({ source, body: toUpdate(values, source) }, { onSuccess: onSaved, onError });
      return;
    }
    const body = toCreate(values);
    create.mutate({ body, key: attempt.keyFor(body) }, { onSuccess: onSaved, onError });
  });
  return (
    <FormModal
      opened
      onClose={onClose}
      title={source ? `Edit ${source.name}` : 'New git source'}
      size="lg"
      closeOnClickOutside={false}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" placeholder="plans" withAsterisk data-autofocus {...form.getInputProps('name')} />
          <Textarea label="Description" autosize minRows={1} maxRows={4} {...form.getInputProps('description')} />
          <TextInput
            label="URL"
            description="https:// or SSH URL. Do not include a user or password in an https URL."
            placeholder="git@git.example.com:team/plans.git"
            withAsterisk
            {...form.getInputProps('url')}
          />
          <TextInput label="Branch" placeholder="Default branch of the repository" {...form.getInputProps('branch')} />
          <SignInFields form={form} source={source} />
          {isSsh(form.values.url) && (
            <TextInput
              label="Host key"
              description="Fingerprint of the host key of the git server, as published by its owner. If empty, the first sync shows the key and you accept it then."
              placeholder="SHA256:…"
              {...form.getInputProps('hostKey')}
            />
          )}
          <Select
            label="Sync"
            data={withCurrentInterval(form.values.syncEvery)}
            allowDeselect={false}
            {...form.getInputProps('syncEvery')}
          />
          <WebhookFields form={form} stored={source?.webhook.configured ?? false} />
          <FormErrors problem={problem} />
          <DialogActions onClose={onClose} pending={create.isPending || update.isPending}>
            {source ? 'Save' : 'Create git source'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}

const withCurrentInterval = (value: string) =>
  INTERVALS.some((each) => each.value === value) ? INTERVALS : [...INTERVALS, { value, label: `Every ${value} s` }];

interface FieldsProps {
  form: UseFormReturnType<GitSourceForm>;
}

function SignInFields({ form, source }: FieldsProps & { source: GitSource | undefined }) {
  const keys = useQuery(keyChoicesQuery);
  const { signIn } = form.values;
  const ways: { value: SignIn; label: string }[] = [
    ...(source?.credential?.user ? [{ value: 'keep' as const, label: 'Stored token' }] : []),
    { value: 'none', label: 'None' },
    { value: 'key', label: 'SSH key' },
    { value: 'token', label: source?.credential?.user ? 'New token' : 'Token' },
  ];
  return (
    <Stack gap={6}>
      <Input.Label labelElement="div" id="git-sign-in">
        Authentication
      </Input.Label>
      <SegmentedControl aria-labelledby="git-sign-in" data={ways} {...form.getInputProps('signIn')} />
      {signIn === 'keep' && (
        <Text c="dimmed">Uses the token of {source?.credential?.user}. The token is not shown.</Text>
      )}
      {signIn === 'key' && (
        <Select
          label="SSH key"
          description="Add its public key as a deploy key of the repository. Read access is enough."
          withAsterisk
          searchable
          data={(keys.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          placeholder={keys.data?.items.length === 0 ? 'No keys yet. Create one under SSH keys.' : 'Choose a key'}
          {...form.getInputProps('sshKeyId')}
        />
      )}
      {signIn === 'token' && (
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <PasswordInput
            label="Token"
            description="Use a read-only token. It is stored encrypted and never shown again."
            withAsterisk
            autoComplete="off"
            {...form.getInputProps('token')}
          />
          <TextInput
            label="User name for the token"
            description="Most git services accept any name."
            placeholder="x-access-token"
            {...form.getInputProps('user')}
          />
        </Group>
      )}
    </Stack>
  );
}

function WebhookFields({ form, stored }: FieldsProps & { stored: boolean }) {
  const { webhook, webhookSecret } = form.values;
  return (
    <Stack gap={6}>
      <Input.Label labelElement="div" id="git-webhook">
        Webhook
      </Input.Label>
      <SegmentedControl
        aria-labelledby="git-webhook"
        data={[
          ...(stored ? [{ value: 'keep', label: 'Stored secret' }] : []),
          { value: 'none', label: 'Refuse calls' },
          { value: 'set', label: stored ? 'New secret' : 'With a secret' },
        ]}
        {...form.getInputProps('webhook')}
      />
      {webhook === 'set' && (
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label="Secret"
            description="The git service signs its requests with it. It is not shown again after saving."
            withAsterisk
            autoComplete="off"
            flex={1}
            {...form.getInputProps('webhookSecret')}
          />
          {webhookSecret === '' ? (
            <Button variant="default" onClick={() => form.setFieldValue('webhookSecret', generateSecret())}>
              Generate secret
            </Button>
          ) : (
            <CopyButton value={webhookSecret} what="webhook secret">
              Copy
            </CopyButton>
          )}
        </Group>
      )}
    </Stack>
  );
}
