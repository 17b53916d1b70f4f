import { Input, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { FormModal } from '../../ui/forms/FormOverlay';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useAccess } from '../../access/useAccess';
import type { ApiProblem } from '../../api/errors';
import { useSaveEnvironment } from '../../api/queries/inventory/environments';
import type { Environment, EnvironmentAccess } from '../../api/types';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';
import { optionsOf } from '../../ui/forms/options';
import { ACCESS_MEANINGS, ACCESS_NAMES } from './environment-labels';
import { useFormDraft } from '../../ui/forms/useFormDraft';

interface Props {
  current: Environment | null;
  onClose: () => void;
  onSaved?: (saved: Environment) => void;
}

export function EnvironmentDialog({ current: given, onClose, onSaved = onClose }: Props) {
  // Edits are based on the state when the dialog opened, not on later refetches.
  const [current] = useState(given);
  const { missing } = useAccess();
  const save = useSaveEnvironment(current);
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const before: EnvironmentAccess = current?.access ?? 'open';
  const form = useForm({
    initialValues: { name: current?.name ?? '', description: current?.description ?? '', access: before },
  });
  const draft = useFormDraft(form, { name: `environment.${current?.id ?? 'new'}`, version: current?.version });
  const notAdmin = missing('admin');
  const submit = form.onSubmit(({ access, ...rest }) => {
    // Only admins may send `access`, even unchanged.
    const body = access === before ? rest : { ...rest, access };
    setProblem(null);
    save.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: (saved) => {
          draft.end();
          onSaved(saved);
        },
        onError: (error) => {
          attempt.refused(error);
          setProblem(showErrorOnForm(form, error, (path) => path in form.values));
        },
      },
    );
  });
  return (
    <FormModal opened onClose={onClose} title={current ? `Edit ${current.name}` : 'New environment'}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {draft.notice}
          <TextInput label="Name" placeholder="staging" withAsterisk data-autofocus {...form.getInputProps('name')} />
          <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
          <Input.Wrapper label="Access" labelElement="div" error={form.errors.access}>
            <Stack gap={4} mt={4} align="flex-start">
              <SegmentedControl
                aria-label="Access"
                data={optionsOf(ACCESS_NAMES)}
                disabled={notAdmin !== null}
                {...form.getInputProps('access')}
              />
              <Text size="xs" c="dimmed">
                {ACCESS_MEANINGS[form.values.access]}
                {notAdmin && ` ${notAdmin} to change it.`}
              </Text>
            </Stack>
          </Input.Wrapper>
          <FormErrors problem={problem} />
          <DialogActions onClose={onClose} pending={save.isPending}>
            {current ? 'Save' : 'Create environment'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
