import { PasswordInput, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { FormModal } from '../../ui/forms/FormOverlay';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useCreateMember } from '../../api/queries/access/members';
import type { CreatedMember, Role } from '../../api/types';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { passwordError, MIN_PASSWORD_LENGTH } from '../../ui/forms/PasswordFields';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';
import { PasswordLink } from './PasswordLink';
import { RoleField } from '../../ui/members/RoleField';

const CREDENTIALS = [
  { value: 'link', label: 'One-time link' },
  { value: 'password', label: 'Set password now' },
];
const FIELDS = ['name', 'email', 'role', 'password'];

interface Form {
  name: string;
  email: string;
  role: Role;
  credential: string;
  password: string;
}

/** Adds a member. The dialog can't be closed by accident, because the set-password link is shown only once. */
export function NewMemberDialog({ onClose }: { onClose: () => void }) {
  const [createdMember, setCreatedMember] = useState<(CreatedMember & { setPasswordPath: string }) | null>(null);
  const onCreated = ({ setPasswordPath, ...member }: CreatedMember) =>
    setPasswordPath === undefined ? onClose() : setCreatedMember({ ...member, setPasswordPath });
  return (
    <FormModal
      opened
      onClose={onClose}
      title={createdMember ? `${createdMember.name} can set a password` : 'New member'}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={createdMember === null}
      withCloseButton={createdMember === null}
    >
      {createdMember ? (
        <PasswordLink path={createdMember.setPasswordPath} memberName={createdMember.name} onDone={onClose} />
      ) : (
        <NewMemberForm onCreated={onCreated} onClose={onClose} />
      )}
    </FormModal>
  );
}

function NewMemberForm({ onCreated, onClose }: { onCreated: (member: CreatedMember) => void; onClose: () => void }) {
  const create = useCreateMember();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<Form>({
    initialValues: { name: '', email: '', role: 'viewer', credential: 'link', password: '' },
    validate: { password: (password, { credential }) => (credential === 'password' ? passwordError(password) : null) },
  });
  const withPassword = form.values.credential === 'password';
  const submit = form.onSubmit(({ credential, password, ...rest }) => {
    const body = credential === 'password' ? { ...rest, password } : rest;
    setProblem(null);
    create.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: onCreated,
        onError: (error) => {
          attempt.refused(error);
          setProblem(showErrorOnForm(form, error, (path) => FIELDS.includes(path)));
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name"
          placeholder="Ana"
          autoComplete="off"
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="E-mail address"
          description="Used to sign in. Runward sends no e-mail to it."
          placeholder="ana@example.com"
          type="email"
          autoComplete="off"
          withAsterisk
          {...form.getInputProps('email')}
        />
        <RoleField
          value={form.values.role}
          onChange={(role) => form.setFieldValue('role', role)}
          error={form.errors.role}
        />
        <Stack gap={4}>
          <SegmentedControl aria-label="Password" data={CREDENTIALS} {...form.getInputProps('credential')} />
        </Stack>
        {withPassword && (
          <PasswordInput
            label="Password"
            description={`At least ${MIN_PASSWORD_LENGTH} characters. You know this password until the member changes it.`}
            autoComplete="new-password"
            withAsterisk
            {...form.getInputProps('password')}
          />
        )}
        <FormErrors problem={problem} />
        <DialogActions onClose={onClose} pending={create.isPending}>
          {withPassword ? 'Add member' : 'Add member and show link'}
        </DialogActions>
      </Stack>
    </form>
  );
}
