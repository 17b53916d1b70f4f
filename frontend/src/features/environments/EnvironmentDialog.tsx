import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useSaveEnvironment } from '../../api/queries/environments';
import type { Environment } from '../../api/types';
import { FormErrors } from '../../ui/FormErrors';
import { showOnForm } from '../../ui/form-errors';
import { useIdempotencyKey } from '../../ui/useIdempotencyKey';

export function EnvironmentDialog({ current, onClose }: { current: Environment | null; onClose: () => void }) {
  const save = useSaveEnvironment(current);
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: { name: current?.name ?? '', description: current?.description ?? '' } });
  const submit = form.onSubmit((body) => {
    setProblem(null);
    save.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: onClose,
        onError: (error) => {
          attempt.refused(error);
          setProblem(showOnForm(form, error, (path) => path in body));
        },
      },
    );
  });
  return (
    <Modal opened onClose={onClose} title={current ? `Edit ${current.name}` : 'New environment'}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" placeholder="staging" withAsterisk data-autofocus {...form.getInputProps('name')} />
          <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
          <FormErrors problem={problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={save.isPending}>
              {current ? 'Save' : 'Create environment'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
