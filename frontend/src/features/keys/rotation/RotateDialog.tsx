import { Alert, List, SegmentedControl, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { IconCertificate } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import type { ApiProblem } from '../../../api/errors';
import { useRotateKey } from '../../../api/queries/inventory/key-rotations';
import type { SshKey } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { type KeyMaterial, MATERIAL_FIELDS, materialOf, NO_MATERIAL, ORIGINS } from '../form/key-material';
import { KeyMaterialFields } from '../form/KeyMaterialFields';
import { RotationError } from './RotationError';

export function RotateDialog({ sshKey, onClose }: { sshKey: SshKey; onClose: () => void }) {
  const rotate = useRotateKey();
  const attempt = useIdempotencyKey();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<KeyMaterial>({ initialValues: NO_MATERIAL });
  const submit = form.onSubmit((values) => {
    const body = materialOf(values);
    setProblem(null);
    rotate.mutate(
      { id: sshKey.id, body, key: attempt.keyFor(body) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/keys/rotations/$id', params: { id }, search: {} }),
        onError: (error) => {
          attempt.refused(error);
          setProblem(showErrorOnForm(form, error, (path) => MATERIAL_FIELDS.includes(path)));
        },
      },
    );
  });
  return (
    <FormModal opened onClose={onClose} title={`Rotate ${sshKey.name}`} size="lg" closeOnClickOutside={false}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <RotationTargets sshKey={sshKey} />
          <Text component="div">
            On each host, step by step:
            <List type="ordered" size="sm" mt={4}>
              <List.Item>Runward signs in with the old key and adds the new public key.</List.Item>
              <List.Item>Runward signs in with the new key. If that works, the server uses the new key.</List.Item>
              <List.Item>
                When no host waits for the new key, Runward signs in with it and removes the old public key.
              </List.Item>
            </List>
          </Text>
          <Text c="dimmed" size="sm">
            A failed host keeps the old key. The rotation stays open until you retry or give up the host. At the end,
            the new key is named {sshKey.name}.
          </Text>
          {sshKey.certificate && (
            <Alert color="yellow" icon={<IconCertificate aria-hidden />} title="The new key has no certificate">
              Hosts that trust only a certificate authority will fail. For these, create a new key, sign it, and assign
              it to the servers.
            </Alert>
          )}
          <SegmentedControl aria-label="New key" data={ORIGINS} {...form.getInputProps('origin')} />
          <KeyMaterialFields form={form} />
          {form.values.origin === 'generate' && (
            <Text c="dimmed" size="xs">
              Runward stores the private key. It is not shown.
            </Text>
          )}
          {problem && <RotationError error={problem} />}
          <DialogActions onClose={onClose} pending={rotate.isPending}>
            Rotate key
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}

function RotationTargets({ sshKey: { usedBy, usedByCount } }: { sshKey: SshKey }) {
  const { can } = useAccess();
  const names = usedBy.map(({ name }) => name).join(', ');
  const more = usedByCount - usedBy.length;
  return (
    <Text component="div">
      Replaces this key on{' '}
      <Text span fw={600}>
        {plural(usedByCount, 'server')}
      </Text>
      : <span className="rw-wrap-anywhere">{names}</span>
      {more > 0 && ` and ${more.toLocaleString('en')} more`}.{' '}
      {can('admin')
        ? ''
        : 'Servers that use this key and that you cannot view are included. The rotation starts only if you can change all of them.'}
    </Text>
  );
}
