import { Button, Group, Paper, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useChangePassword } from '../../api/queries/access/sessions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { PasswordFields, passwordError, repeatError } from '../../ui/forms/PasswordFields';

const FIELDS = ['currentPassword', 'newPassword'];

/** Form to change the password, which ends the member's other sessions. */
export function ChangePassword() {
  const change = useChangePassword();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '', repeated: '' },
    validate: { newPassword: passwordError, repeated: (value, { newPassword }) => repeatError(value, newPassword) },
  });
  const submit = form.onSubmit(({ currentPassword, newPassword }) => {
    setProblem(null);
    change.mutate(
      { currentPassword, newPassword },
      {
        onSuccess: () => {
          form.reset();
          notifications.show({ message: 'Password changed. Your other sessions have ended.' });
        },
        onError: (error) => setProblem(showErrorOnForm(form, error, (path) => FIELDS.includes(path))),
      },
    );
  });
  return (
    <Paper p="md" maw={480}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            withAsterisk
            {...form.getInputProps('currentPassword')}
          />
          <PasswordFields password={form.getInputProps('newPassword')} repeated={form.getInputProps('repeated')} />
          <FormErrors problem={problem} />
          <Group justify="flex-end">
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
