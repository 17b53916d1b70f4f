import { Alert, List, SegmentedControl, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { IconCertificate } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useRotateKey } from '../../../api/queries/inventory/key-rotations';
import type { SshKey } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { DialogActions } from '../../../ui/forms/DialogActions';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { type KeyMaterial, MATERIAL_FIELDS, materialOf, NO_MATERIAL, WAYS } from '../form/key-material';
import { KeyMaterialFields } from '../form/KeyMaterialFields';
import { RotationError } from './RotationError';

/** Asks which key is to take the place of this one, says what will happen, and begins it. */
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
          setProblem(showOnForm(form, error, (path) => MATERIAL_FIELDS.includes(path)));
        },
      },
    );
  });
  return (
    <FormModal opened onClose={onClose} title={`Rotate ${sshKey.name}`} size="lg" closeOnClickOutside={false}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Where sshKey={sshKey} />
          <Text component="div">
            On each of them, one after another and each step tried before the next:
            <List type="ordered" size="sm" mt={4}>
              <List.Item>The new public key is put beside the old one, by a login with the old key.</List.Item>
              <List.Item>A login with the new key is tried. If it works, the server uses the new key.</List.Item>
              <List.Item>
                Once no host waits for the new key, the old public key is removed, by a login with the new one.
              </List.Item>
            </List>
          </Text>
          <Text c="dimmed" size="sm">
            A host that fails keeps the old key, which goes on working there; the rotation stays open until you try it
            again or give it up. In the end the new key is called {sshKey.name}.
          </Text>
          {sshKey.certificate && (
            <Alert color="yellow" icon={<IconCertificate aria-hidden />} title="The new key has no certificate">
              Hosts that trust an authority instead of single keys don’t have this one in their file, and fail. For
              those make a new key, have it signed, and give it to the servers.
            </Alert>
          )}
          <SegmentedControl aria-label="The new key" data={WAYS} {...form.getInputProps('way')} />
          <KeyMaterialFields form={form} />
          {form.values.way === 'generate' && (
            <Text c="dimmed" size="xs">
              Runward keeps the private part; it is not shown.
            </Text>
          )}
          {problem && <RotationError error={problem} />}
          <DialogActions onClose={onClose} pending={rotate.isPending}>
            Rotate the key
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}

function Where({ sshKey: { usedBy, usedByCount } }: { sshKey: SshKey }) {
  const names = usedBy.map(({ name }) => name).join(', ');
  const more = usedByCount - usedBy.length;
  return (
    <Text component="div">
      A new key takes the place of this one on{' '}
      <Text span fw={600}>
        {plural(usedByCount, 'server')}
      </Text>
      : <span style={{ overflowWrap: 'anywhere' }}>{names}</span>
      {more > 0 && ` and ${more.toLocaleString('en')} more`}. Servers with this key that you may not see count too: if
      you may not change one of them, nothing is begun.
    </Text>
  );
}
