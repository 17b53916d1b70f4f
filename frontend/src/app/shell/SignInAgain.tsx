import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { DialogBar } from '../../ui/dialogs/DialogBar';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useDiscardSession, useSignInAgain } from '../../api/queries/access/session';
import type { Me } from '../../api/types';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';

const doNothing = () => undefined;

/** Asks for the password when a session has ended. The page behind the dialog keeps its state. */
export function SignInAgain({ me }: { me: Me }) {
  const login = useSignInAgain();
  const giveUp = useDiscardSession();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: { password: '' } });
  const submit = form.onSubmit(({ password }) => {
    setProblem(null);
    login.mutate(
      { email: me.email, password, tenant: me.tenant.name },
      { onError: (error) => setProblem(showErrorOnForm(form, error, (path) => path === 'password')) },
    );
  });
  return (
    <Modal
      opened
      onClose={doNothing}
      title="Your session has ended"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      overlayProps={{ blur: 6 }}
      zIndex={1000}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text>Sign in to continue. Your unsaved input on this page is kept.</Text>
          <TextInput label="E-mail address" type="email" autoComplete="username" value={me.email} readOnly />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            required
            {...form.getInputProps('password')}
          />
          <FormErrors problem={problem} />
          <DialogBar>
            <Button variant="default" onClick={giveUp}>
              Sign in as another member
            </Button>
            <Button type="submit" loading={login.isPending}>
              Sign in
            </Button>
          </DialogBar>
        </Stack>
      </form>
    </Modal>
  );
}
