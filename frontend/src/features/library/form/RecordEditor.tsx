import { Alert, Box, Button, Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useEffect, useState } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import type { ApiProblem } from '../../../api/errors';
import { DraftNotice } from '../../../ui/forms/DraftNotice';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { useDraft } from '../../../ui/forms/useDraft';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';
import { MessageField } from '../../../ui/revisions/MessageField';
import { ContentChanges } from './ContentChanges';
import { type BesideEditor, RecordFields } from './RecordFields';
import type { ScriptProgram, ScriptWarning } from '../../../api/types';
import { ScriptNotes } from './ScriptNotes';
import { formOf, isRecordField, type RecordForm, type StoredRecord } from './record-form';
import type { RecordKind } from './record-kind';

export interface EditedRecord extends StoredRecord {
  id: string;
  /** Only for scripts. */
  program?: ScriptProgram | null;
  /** Only for scripts. */
  warnings?: ScriptWarning[];
  revision: number;
  version: number;
}

interface Props<R extends EditedRecord> {
  kind: RecordKind;
  record: R;
  pending: boolean;
  save: (
    change: { version: number; form: RecordForm; message: string },
    ends: { onSuccess: (saved: R) => void; onError: (error: unknown) => void },
  ) => void;
  /** Loads the version that someone else has saved. */
  reload: () => Promise<R | undefined>;
  beside?: (beside: BesideEditor) => ReactNode;
}

export function RecordEditor<R extends EditedRecord>({ kind, record, pending, save, reload, beside }: Props<R>) {
  const { can } = useAccess();
  const [baseRecord, setBaseRecord] = useState(record);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [message, setMessage] = useState('');
  const [initialValues] = useState(() => formOf(record));
  const form = useForm({ initialValues });
  const dirty = form.isDirty();
  useLeaveGuard(dirty);
  const draft = useDraft({
    ...{ form: `${kind}.${record.id}`, version: baseRecord.version, values: form.values, isDirty: dirty },
  });

  const resetTo = (saved: R) => {
    const values = formOf(saved);
    setBaseRecord(saved);
    setProblem(null);
    setMessage('');
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
    form.clearErrors();
  };
  useEffect(() => {
    // A newer record appears after a restore, for example. Unsaved edits stay; saving them is refused.
    if (dirty || record.version <= baseRecord.version) return;
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the form follows the server until the user edits it
    resetTo(record);
  });
  const submit = form.onSubmit((values) => {
    setProblem(null);
    save(
      { version: baseRecord.version, form: values, message },
      {
        onSuccess: (saved) => {
          resetTo(saved);
          notifications.show({ color: 'green', message: `Saved as revision ${saved.revision}.` });
        },
        onError: (error) => setProblem(showErrorOnForm(form, error, isRecordField)),
      },
    );
  });
  const outdated = dirty && record.version > baseRecord.version;
  const stale = outdated || problem?.code === 'version_mismatch';

  return (
    <form onSubmit={submit} noValidate>
      {draft.found && can('operator') && (
        <DraftNotice
          isOutdated={draft.isOutdated}
          onRestore={() => {
            form.setValues(draft.found?.values ?? {});
            draft.forget();
          }}
          onDiscard={draft.forget}
        />
      )}
      {kind === 'script' && !dirty && <ScriptNotes record={baseRecord} form={form} canFix={can('operator')} />}
      <RecordFields form={form} kind={kind} readOnly={!can('operator')} beside={beside} />
      {dirty && form.values.from === 'here' && (
        <ContentChanges saved={baseRecord.source ? '' : baseRecord.content} content={form.values.content} />
      )}
      {dirty && can('operator') && (
        <Box mt="md">
          <MessageField value={message} onChange={setMessage} disabled={pending} />
        </Box>
      )}
      {outdated && (
        <Alert color="yellow" mt="md" py={8} role="alert">
          Someone else saved revision {record.revision}. Your edits start from revision {baseRecord.revision} and cannot
          be saved.
        </Alert>
      )}
      <Group mt="md" gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {dirty ? 'Unsaved changes. Started runs keep their revision.' : `Revision ${baseRecord.revision} saved`}
        </Text>
        <Can role="operator">
          <Group gap="xs">
            {stale && (
              <Button variant="default" onClick={() => void reload().then((theirs) => theirs && resetTo(theirs))}>
                Load latest revision and discard my edits
              </Button>
            )}
            <Button variant="default" disabled={!dirty || pending} onClick={() => resetTo(baseRecord)}>
              Discard changes
            </Button>
            <Button type="submit" disabled={!dirty} loading={pending}>
              Save
            </Button>
          </Group>
        </Can>
      </Group>
      <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
    </form>
  );
}
