import { Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useCreateCollection, useUpdateCollection } from '../../../api/queries/plans/collections';
import type { Collection } from '../../../api/types';
import { CollectionSelect } from '../../../ui/collections/CollectionSelect';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { useFormDraft } from '../../../ui/forms/useFormDraft';

interface Props {
  /** Null: a new collection. */
  current: Collection | null;
  /** Initial parent of a new collection. */
  parentId: string | null;
  onClose: () => void;
  onSaved: (saved: Collection) => void;
}

export function CollectionDialog({ current: given, parentId, onClose, onSaved }: Props) {
  // Edits are based on the state when the dialog opened, not on later refetches.
  const [current] = useState(given);
  const create = useCreateCollection();
  const update = useUpdateCollection();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({
    initialValues: {
      name: current?.name ?? '',
      description: current?.description ?? '',
      parentId: current ? current.parentId : parentId,
    },
  });
  const draft = useFormDraft(form, { name: `collection.${current?.id ?? 'new'}`, version: current?.version });
  const submit = form.onSubmit((values) => {
    const { parentId: parent, ...rest } = values;
    const outcome = {
      onSuccess: (saved: Collection) => {
        draft.end();
        onSaved(saved);
      },
      onError: (error: unknown) => {
        attempt.refused(error);
        setProblem(showErrorOnForm(form, error, (path) => path in form.values));
      },
    };
    setProblem(null);
    if (current) return update.mutate({ collection: current, body: values }, outcome);
    const body = { ...rest, ...(parent === null ? {} : { parentId: parent }) };
    create.mutate({ body, key: attempt.keyFor(body) }, outcome);
  });
  return (
    <FormModal opened onClose={onClose} title={current ? `Edit ${current.name}` : 'New collection'}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {draft.notice}
          <TextInput label="Name" placeholder="Releases" withAsterisk data-autofocus {...form.getInputProps('name')} />
          <Textarea label="Description" autosize minRows={1} maxRows={6} {...form.getInputProps('description')} />
          <CollectionSelect
            label="Parent collection"
            description={current ? 'Its plans and subcollections move with it.' : undefined}
            none="None"
            without={current?.id}
            {...form.getInputProps('parentId')}
          />
          <FormErrors problem={problem} />
          <DialogActions onClose={onClose} pending={create.isPending || update.isPending}>
            {current ? 'Save' : 'Create collection'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
