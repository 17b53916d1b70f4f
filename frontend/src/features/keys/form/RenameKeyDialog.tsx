import { Stack, TextInput } from '@mantine/core';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useRenameKey } from '../../../api/queries/inventory/keys';
import type { SshKey } from '../../../api/types';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../../ui/forms/form-errors';

export function RenameKeyDialog({ sshKey, onClose }: { sshKey: SshKey; onClose: () => void }) {
  const rename = useRenameKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: { name: sshKey.name } });
  const submit = form.onSubmit(({ name }) =>
    rename.mutate(
      { sshKey, name },
      { onSuccess: onClose, onError: (error) => setProblem(showErrorOnForm(form, error, (path) => path === 'name')) },
    ),
  );
  return (
    <FormModal opened onClose={onClose} title={`Rename ${sshKey.name}`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" withAsterisk data-autofocus {...form.getInputProps('name')} />
          <FormErrors problem={problem} />
          <DialogActions onClose={onClose} pending={rename.isPending}>
            Rename
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
