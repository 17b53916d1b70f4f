import { SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useCreateKey } from '../../../api/queries/inventory/keys';
import type { CreatedSshKey } from '../../../api/types';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { type KeyMaterial, MATERIAL_FIELDS, materialOf, NO_MATERIAL, ORIGINS } from './key-material';
import { KeyMaterialFields } from './KeyMaterialFields';

type Form = KeyMaterial & { name: string };

export function NewKeyForm({ onCreated, onClose }: { onCreated: (key: CreatedSshKey) => void; onClose: () => void }) {
  const create = useCreateKey();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<Form>({ initialValues: { ...NO_MATERIAL, name: '' } });
  const submit = form.onSubmit((values) => {
    const body = { name: values.name, ...materialOf(values) };
    setProblem(null);
    create.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: onCreated,
        onError: (error) => {
          attempt.refused(error);
          setProblem(showErrorOnForm(form, error, (path) => path === 'name' || MATERIAL_FIELDS.includes(path)));
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <SegmentedControl aria-label="Source of the key" data={ORIGINS} {...form.getInputProps('origin')} />
        <TextInput label="Name" placeholder="deploy" withAsterisk data-autofocus {...form.getInputProps('name')} />
        <KeyMaterialFields form={form} />
        <FormErrors problem={problem} />
        <DialogActions onClose={onClose} pending={create.isPending}>
          {form.values.origin === 'import' ? 'Import key' : 'Generate key'}
        </DialogActions>
      </Stack>
    </form>
  );
}
