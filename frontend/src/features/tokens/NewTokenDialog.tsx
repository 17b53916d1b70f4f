import { Select, Stack, Text, TextInput } from '@mantine/core';
import { FormModal } from '../../ui/forms/FormOverlay';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useCreateToken } from '../../api/queries/access/tokens';
import type { CreatedToken } from '../../api/types';
import { RecipeChoice } from '../../ui/copy/RecipeChoice';
import { tokenRecipes } from '../../ui/copy/token-recipes';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { SecretOnce } from '../../ui/copy/SecretOnce';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';
import { NEW_SCOPE, scopeOf } from '../../ui/scopes/scope-words';
import { ScopeFields } from '../../ui/scopes/ScopeFields';

const HOUR_MS = 3_600_000;
const LIFETIMES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'No expiry' },
];

/** Returns the end of a new token, rounded to a full hour, so that a retry sends the same body and idempotency key. */
function expiryAfter(days: string): string | undefined {
  if (days === 'never') return undefined;
  const hours = Math.ceil(Date.now() / HOUR_MS) + Number(days) * 24;
  return new Date(hours * HOUR_MS).toISOString();
}

/** Service account that gets the token; undefined = the signed-in member. */
type Account = { id: string; name: string } | undefined;

export function NewTokenDialog({ account, onClose }: { account?: Account; onClose: () => void }) {
  const [createdToken, setCreatedToken] = useState<(CreatedToken & { token: string }) | null>(null);
  const onCreated = ({ token, ...created }: CreatedToken) =>
    token === undefined ? onClose() : setCreatedToken({ ...created, token });
  return (
    <FormModal
      opened
      onClose={onClose}
      title={createdToken ? `Token ${createdToken.name}` : account ? `New token of ${account.name}` : 'New API token'}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={createdToken === null}
      withCloseButton={createdToken === null}
    >
      {createdToken ? (
        <SecretOnce what="token" value={createdToken.token} onDone={onClose}>
          <Stack gap={6}>
            <Text>Test it:</Text>
            <RecipeChoice recipes={tokenRecipes(window.location.origin)} label="Use it from" />
          </Stack>
        </SecretOnce>
      ) : (
        <NewTokenForm account={account} onCreated={onCreated} onClose={onClose} />
      )}
    </FormModal>
  );
}

interface FormProps {
  account: Account;
  onCreated: (token: CreatedToken) => void;
  onClose: () => void;
}

function NewTokenForm({ account, onCreated, onClose }: FormProps) {
  const create = useCreateToken();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: { name: '', life: '90' } });
  const [scope, setScope] = useState(NEW_SCOPE);
  const submit = form.onSubmit(({ name, life }) => {
    setProblem(null);
    const expiresAt = expiryAfter(life);
    const narrowed = scopeOf(scope);
    const body = { name, ...(expiresAt ? { expiresAt } : {}), ...(narrowed ? { scope: narrowed } : {}) };
    create.mutate(
      { body, key: attempt.keyFor({ ...body, accountId: account?.id }), accountId: account?.id },
      {
        onSuccess: onCreated,
        onError: (error) => {
          attempt.refused(error);
          setProblem(showErrorOnForm(form, error, (path) => path === 'name'));
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Program that will use the token."
          placeholder="deploy pipeline"
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select label="Expires after" data={LIFETIMES} allowDeselect={false} {...form.getInputProps('life')} />
        <ScopeFields value={scope} onChange={setScope} />
        <FormErrors problem={problem} />
        <DialogActions onClose={onClose} pending={create.isPending}>
          Create token
        </DialogActions>
      </Stack>
    </form>
  );
}
