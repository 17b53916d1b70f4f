import { PasswordInput, SegmentedControl, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useCreateKey } from '../../api/queries/inventory/keys';
import type { CreatedSshKey, CreateSshKeyRequest } from '../../api/types';
import { DialogActions } from '../../ui/forms/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showOnForm } from '../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';

const KINDS = [
  { value: 'ed25519', label: 'Ed25519 (recommended)' },
  { value: 'ecdsa 256', label: 'ECDSA, 256 bits' },
  { value: 'ecdsa 521', label: 'ECDSA, 521 bits' },
  { value: 'rsa 3072', label: 'RSA, 3072 bits' },
  { value: 'rsa 4096', label: 'RSA, 4096 bits' },
];
const WAYS = [
  { value: 'generate', label: 'Generate' },
  { value: 'import', label: 'Import' },
];

interface Form {
  way: string;
  name: string;
  kind: string;
  privateKey: string;
  passphrase: string;
}

function toRequest({ way, name, kind, privateKey, passphrase }: Form): CreateSshKeyRequest {
  if (way === 'import') return { name, privateKey, ...(passphrase ? { passphrase } : {}) };
  const [type, bits] = kind.split(' ') as ['ed25519' | 'rsa' | 'ecdsa', string?];
  return { name, generate: { type, ...(bits ? { bits: Number(bits) } : {}) } };
}

export function NewKeyForm({ onCreated, onClose }: { onCreated: (key: CreatedSshKey) => void; onClose: () => void }) {
  const create = useCreateKey();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<Form>({
    initialValues: { way: 'generate', name: '', kind: 'ed25519', privateKey: '', passphrase: '' },
  });
  const importing = form.values.way === 'import';
  const submit = form.onSubmit((values) => {
    const body = toRequest(values);
    setProblem(null);
    create.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: onCreated,
        onError: (error) => {
          attempt.refused(error);
          setProblem(showOnForm(form, error, (path) => ['name', 'privateKey', 'passphrase'].includes(path)));
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <SegmentedControl aria-label="How" data={WAYS} {...form.getInputProps('way')} />
        <TextInput label="Name" placeholder="deploy" withAsterisk data-autofocus {...form.getInputProps('name')} />
        {importing ? (
          <>
            <Textarea
              label="Private key"
              description="In OpenSSH or PEM form."
              placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
              withAsterisk
              autosize
              minRows={6}
              maxRows={12}
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12px' } }}
              {...form.getInputProps('privateKey')}
            />
            <PasswordInput
              label="Passphrase"
              description="If the key is protected with one. It is used once and not kept."
              autoComplete="off"
              {...form.getInputProps('passphrase')}
            />
          </>
        ) : (
          <Select label="Type" data={KINDS} allowDeselect={false} {...form.getInputProps('kind')} />
        )}
        <FormErrors problem={problem} />
        <DialogActions onClose={onClose} pending={create.isPending}>
          {importing ? 'Import key' : 'Generate key'}
        </DialogActions>
      </Stack>
    </form>
  );
}
