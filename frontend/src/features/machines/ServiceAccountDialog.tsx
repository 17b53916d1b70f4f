import { Alert, Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useCreateServiceAccount, useUpdateServiceAccount } from '../../api/queries/access/service-accounts';
import type { CreateServiceAccountRequest, ServiceAccount } from '../../api/types';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { FormModal } from '../../ui/forms/FormOverlay';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';
import { RoleField } from '../../ui/members/RoleField';

interface Props {
  /** Null: a new account. A newer version may arrive while the dialog is open. */
  account: ServiceAccount | null;
  onClose: () => void;
}

const FIELDS = ['name', 'description', 'role'];

export function ServiceAccountDialog({ account, onClose }: Props) {
  const create = useCreateServiceAccount();
  const update = useUpdateServiceAccount();
  const attempt = useIdempotencyKey();
  const [version, setVersion] = useState(account?.version ?? 0);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<Required<CreateServiceAccountRequest>>({
    initialValues: {
      name: account?.name ?? '',
      description: account?.description ?? '',
      role: account?.role ?? 'operator',
    },
  });
  const submit = form.onSubmit((body) => {
    setProblem(null);
    const refused = (error: unknown) => setProblem(showErrorOnForm(form, error, (path) => FIELDS.includes(path)));
    if (account)
      update.mutate({ account: { id: account.id, version }, body }, { onSuccess: onClose, onError: refused });
    else
      create.mutate(
        { body, key: attempt.keyFor(body) },
        {
          onSuccess: onClose,
          onError: (error) => {
            attempt.refused(error);
            refused(error);
          },
        },
      );
  });
  return (
    <FormModal opened onClose={onClose} title={account ? `Edit ${account.name}` : 'New service account'}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label="Name"
            placeholder="deploy pipeline"
            autoComplete="off"
            withAsterisk
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Textarea
            label="Description"
            description="Purpose or contact."
            autosize
            minRows={2}
            {...form.getInputProps('description')}
          />
          <RoleField
            value={form.values.role}
            onChange={(role) => form.setFieldValue('role', role)}
            error={form.errors.role}
          />
          {account && problem?.status === 412 && account.version !== version ? (
            <Alert color="yellow" role="alert" title="Someone else changed this service account">
              Current: {account.name}, {account.role}. Your edits are still in the form.{' '}
              <Button variant="default" onClick={() => setVersion(account.version)} mt={6}>
                Keep my edits
              </Button>
            </Alert>
          ) : (
            <FormErrors problem={problem} />
          )}
          <DialogActions onClose={onClose} pending={create.isPending || update.isPending}>
            {account ? 'Save' : 'Create service account'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
