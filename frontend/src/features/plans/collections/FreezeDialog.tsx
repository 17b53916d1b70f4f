import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useUpdateCollection } from '../../../api/queries/plans/collections';
import type { Collection } from '../../../api/types';
import { toLocalTime } from '../../../ui/format/local-time';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { END_CHOICES, freezeErrors, freezeForm, freezeState, toFreeze } from './freeze-form';

interface Props {
  collection: Collection;
  onClose: () => void;
}

export function FreezeDialog({ collection: given, onClose }: Props) {
  const [collection] = useState(given);
  const [opened] = useState(() => Date.now());
  const update = useUpdateCollection();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({
    initialValues: freezeForm(collection, opened),
    validate: (values) => freezeErrors(values, Date.now()),
  });
  const before = freezeState(collection, opened);
  const submit = form.onSubmit((values) => {
    setProblem(null);
    update.mutate(
      { collection, body: { freeze: toFreeze(values) } },
      {
        onSuccess: onClose,
        onError: (error) => setProblem(showErrorOnForm(form, error, (path) => path in form.values)),
      },
    );
  });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <FormModal
      opened
      onClose={onClose}
      title={before === 'none' ? `Freeze ${collection.name}` : `Change freeze of ${collection.name}`}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text>
            During a freeze, plans in this collection and its subcollections cannot start, except dry runs. Accepted
            runs wait for its end. Running runs continue.
          </Text>
          <Textarea
            label="Reason"
            description="Shown to members whose start is refused."
            placeholder="Release 4.2 goes out"
            withAsterisk
            autosize
            minRows={1}
            maxRows={4}
            maxLength={500}
            data-autofocus
            {...form.getInputProps('reason')}
          />
          <TextInput
            type="datetime-local"
            label="Start"
            description={
              before === 'holds' ? 'The freeze is active. A later start suspends it until then.' : `Empty: now. ${zone}`
            }
            {...form.getInputProps('from')}
          />
          <TextInput
            type="datetime-local"
            label="End"
            description={zone}
            withAsterisk
            {...form.getInputProps('until')}
          />
          <Group gap={6} role="group" aria-label="Common end times">
            {END_CHOICES.map(({ label, after }) => (
              <Button
                key={label}
                variant="default"
                onClick={() => form.setFieldValue('until', toLocalTime(after(new Date()).toISOString()))}
              >
                {label}
              </Button>
            ))}
          </Group>
          <FormErrors problem={problem} />
          <DialogActions onClose={onClose} pending={update.isPending}>
            {before === 'none' ? 'Freeze' : 'Save'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
