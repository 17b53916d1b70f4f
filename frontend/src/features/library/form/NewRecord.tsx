import { Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useEffect, useState } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import type { ApiProblem } from '../../../api/errors';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';
import { type BesideEditor, RecordFields } from './RecordFields';
import { isRecordField, type RecordForm } from './record-form';
import { RECORD_KINDS, type RecordKind } from './record-kind';
import { useFormDraft } from '../../../ui/forms/useFormDraft';

interface Props {
  kind: RecordKind;
  empty: RecordForm;
  pending: boolean;
  /** Whether the record was created, so that leaving the page needs no warning. */
  done: boolean;
  create: (form: RecordForm, key: string, onError: (error: unknown) => void) => void;
  beside?: (beside: BesideEditor) => ReactNode;
}

export function NewRecord({ kind, empty, pending, done, create, beside }: Props) {
  const { can } = useAccess();
  const { plural, list } = RECORD_KINDS[kind];
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: empty });
  useLeaveGuard(form.isDirty() && !done);
  const draft = useFormDraft(form, { name: `${kind}.new` });
  useEffect(() => {
    if (done) draft.end();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the draft changes with each input
  }, [done]);
  const submit = form.onSubmit((values) => {
    setProblem(null);
    create(values, attempt.keyFor(values), (error) => {
      attempt.refused(error);
      setProblem(showErrorOnForm(form, error, isRecordField));
    });
  });
  return (
    <>
      <PageHeader
        title={`New ${kind}`}
        above={
          <AnchorLink to={list} size="xs">
            {plural}
          </AnchorLink>
        }
      />
      <form onSubmit={submit} noValidate>
        {can('operator') && draft.notice}
        <RecordFields form={form} kind={kind} readOnly={!can('operator')} beside={beside} />
        <Group mt="md" gap="xs" justify="flex-end">
          <ButtonLink to={list} variant="default">
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
    </>
  );
}
