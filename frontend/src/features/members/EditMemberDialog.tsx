import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { FormModal } from '../../ui/forms/FormOverlay';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useUpdateMember } from '../../api/queries/access/members';
import type { Member } from '../../api/types';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { RoleField } from '../../ui/members/RoleField';

interface Props {
  /** The current state. A newer version may arrive while the dialog is open. */
  member: Member;
  isSelf: boolean;
  onClose: () => void;
}

export function EditMemberDialog({ member, isSelf, onClose }: Props) {
  const update = useUpdateMember();
  const [version, setVersion] = useState(member.version);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: { name: member.name, role: member.role } });
  const losesAdminRole = isSelf && form.values.role !== 'admin';
  const submit = form.onSubmit((body) => {
    setProblem(null);
    update.mutate(
      { member: { id: member.id, version }, body },
      {
        onSuccess: onClose,
        onError: (error) => setProblem(showErrorOnForm(form, error, (path) => path === 'name' || path === 'role')),
      },
    );
  });
  return (
    <FormModal opened onClose={onClose} title={`Edit ${member.name}`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" withAsterisk data-autofocus {...form.getInputProps('name')} />
          <RoleField
            value={form.values.role}
            onChange={(role) => form.setFieldValue('role', role)}
            error={form.errors.role}
          />
          {losesAdminRole && (
            <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
              This is your account. Only another admin can give you the Admin role back.
            </Alert>
          )}
          {problem?.status === 412 && member.version !== version ? (
            <Alert color="yellow" role="alert" title="Someone else changed this member">
              Now: {member.name}, {member.role}. Your edits are still in the form.{' '}
              <Button variant="default" onClick={() => setVersion(member.version)} mt={6}>
                Keep my edits
              </Button>
            </Alert>
          ) : (
            <FormErrors problem={problem} />
          )}
          <DialogActions onClose={onClose} pending={update.isPending}>
            Save
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
