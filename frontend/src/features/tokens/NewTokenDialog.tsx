import { Code, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { FormModal } from '../../ui/forms/FormOverlay';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useCreateToken } from '../../api/queries/tokens';
import type { CreatedToken } from '../../api/types';
import { CopyButton } from '../../ui/copy/CopyButton';
import { DialogActions } from '../../ui/forms/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showOnForm } from '../../ui/forms/form-errors';
import { SecretOnce } from '../../ui/copy/SecretOnce';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';

const HOUR_MS = 3_600_000;
const LIVES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'never', label: 'Never ends' },
];

/** Expiry of a new token, rounded to a full hour, so that a retry sends the same body and idempotency key. */
function endOf(days: string): string | undefined {
  if (days === 'never') return undefined;
  const hours = Math.ceil(Date.now() / HOUR_MS) + Number(days) * 24;
  return new Date(hours * HOUR_MS).toISOString();
}

const curlOf = () =>
  [
    'export RUNWARD_TOKEN=…',
    `curl -fsS ${window.location.origin}/api/auth/me \\`,
    '  -H "Authorization: Bearer $RUNWARD_TOKEN"',
  ].join('\n');

export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedToken | null>(null);
  return (
    <FormModal
      opened
      onClose={onClose}
      title={created ? `Token ${created.name}` : 'New API token'}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={created === null}
      withCloseButton={created === null}
    >
      {created ? (
        <SecretOnce what="token" value={created.token} onDone={onClose}>
          <Stack gap={6}>
            <Text>Try it:</Text>
            <Code block tabIndex={0}>
              {curlOf()}
            </Code>
            <Group>
              <CopyButton value={curlOf()} what="command">
                Copy command
              </CopyButton>
            </Group>
          </Stack>
        </SecretOnce>
      ) : (
        <NewTokenForm onCreated={setCreated} onClose={onClose} />
      )}
    </FormModal>
  );
}

function NewTokenForm({ onCreated, onClose }: { onCreated: (token: CreatedToken) => void; onClose: () => void }) {
  const create = useCreateToken();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: { name: '', life: '90' } });
  const submit = form.onSubmit(({ name, life }) => {
    setProblem(null);
    const expiresAt = endOf(life);
    create.mutate(
      { body: { name, ...(expiresAt ? { expiresAt } : {}) }, key: attempt.keyFor({ name, expiresAt }) },
      {
        onSuccess: onCreated,
        onError: (error) => {
          attempt.refused(error);
          setProblem(showOnForm(form, error, (path) => path === 'name'));
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="What will use it."
          placeholder="deploy pipeline"
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select label="Ends after" data={LIVES} allowDeselect={false} {...form.getInputProps('life')} />
        <FormErrors problem={problem} />
        <DialogActions onClose={onClose} pending={create.isPending}>
          Create token
        </DialogActions>
      </Stack>
    </form>
  );
}
