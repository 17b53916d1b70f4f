import { Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Can } from '../../access/Can';
import { useAccess } from '../../access/useAccess';
import type { ApiProblem } from '../../api/errors';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showOnForm } from '../../ui/forms/form-errors';
import { ButtonLink } from '../../ui/page/links';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';
import { useLeaveGuard } from '../../ui/forms/useLeaveGuard';
import { RecordFields } from './RecordFields';
import { isRecordField, type RecordForm } from './record-form';

interface Props {
  kind: 'script' | 'template';
  empty: RecordForm;
  pending: boolean;
  /** The record was created: leaving the page loses nothing. */
  done: boolean;
  create: (form: RecordForm, key: string, onError: (error: unknown) => void) => void;
}

export function NewRecordForm({ kind, empty, pending, done, create }: Props) {
  const { can } = useAccess();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: empty });
  useLeaveGuard(form.isDirty() && !done);
  const submit = form.onSubmit((values) => {
    setProblem(null);
    create(values, attempt.keyFor(values), (error) => {
      attempt.refused(error);
      setProblem(showOnForm(form, error, isRecordField));
    });
  });
  return (
    <form onSubmit={submit} noValidate>
      <RecordFields form={form} kind={kind} readOnly={!can('operator')} />
      <Group mt="md" gap="xs" justify="flex-end">
        <ButtonLink to={kind === 'script' ? '/scripts' : '/templates'} variant="default">
          Discard
        </ButtonLink>
        <Can role="operator">
          <Button type="submit" loading={pending}>
            Create {kind}
          </Button>
        </Can>
      </Group>
      <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
    </form>
  );
}
