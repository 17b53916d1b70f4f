import { Alert, Button, Checkbox, Select, Stack, Text, TextInput } from '@mantine/core';
import { FormModal } from '../forms/FormOverlay';
import { useForm } from '@mantine/form';
import { IconGitMerge } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import type { Variable } from '../../api/types';
import type { PutVariable } from '../../api/queries/inventory/variables';
import { DialogActions } from '../dialogs/DialogActions';
import { FormErrors } from '../forms/FormErrors';
import { showErrorOnForm } from '../forms/form-errors';
import { RelativeTime } from '../format/RelativeTime';
import { optionsOf } from '../forms/options';
import { formOf, toRequest, TYPE_NAMES, formatValue } from './variable-form';
import { VariableValueField } from './VariableValueField';

interface Props {
  put: PutVariable;
  /** Current variable, which may get a newer version while the dialog is open; null = a new variable. */
  current: Variable | null;
  onClose: () => void;
}

export function VariableDialog({ put, current, onClose }: Props) {
  const [baseVariable, setBaseVariable] = useState(current);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: formOf(current) });
  const { values } = form;
  const isText = values.type === 'secret';
  const hasNewerVersion = problem?.status === 412 && current !== null && current.version !== baseVariable?.version;
  const submit = form.onSubmit(({ key, ...typed }) => {
    setProblem(null);
    put.mutate(
      { key, body: toRequest({ key, ...typed }), current: baseVariable },
      {
        onSuccess: onClose,
        onError: (error) => {
          const target = {
            setErrors: (errors: Record<string, string>) => form.setErrors({ ...errors, value: errors.value }),
          };
          const left = showErrorOnForm(target, error, (path) => ['value', 'type', 'secret'].includes(path));
          setProblem(moveNameError(form, left));
        },
      },
    );
  });
  return (
    <FormModal
      opened
      onClose={onClose}
      title={current ? `Change ${current.key}` : 'New variable'}
      closeOnClickOutside={false}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {!current && (
            <TextInput
              label="Name"
              placeholder="REGION"
              withAsterisk
              data-autofocus
              spellCheck={false}
              classNames={{ input: 'rw-mono-family' }}
              {...form.getInputProps('key')}
            />
          )}
          <Select label="Type" data={optionsOf(TYPE_NAMES)} allowDeselect={false} {...form.getInputProps('type')} />
          {!isText && (
            <Checkbox
              label="Secret"
              description="Encrypted, masked in output, and never shown again."
              {...form.getInputProps('secret', { type: 'checkbox' })}
            />
          )}
          <VariableValueField form={form} stored={baseVariable} />
          {hasNewerVersion ? (
            <VariableConflict
              current={current}
              onKeep={() => {
                setBaseVariable(current);
                setProblem(null);
              }}
            />
          ) : (
            <FormErrors problem={problem} />
          )}
          <DialogActions onClose={onClose} pending={put.isPending}>
            {current ? 'Set value' : 'Add variable'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}

function VariableConflict({ current, onKeep }: { current: Variable; onKeep: () => void }) {
  return (
    <Alert color="yellow" role="alert" icon={<IconGitMerge aria-hidden />} title="Someone else changed this variable">
      <Stack gap="xs" align="flex-start">
        <Text>
          Current: {current.secret ? 'another secret value' : formatValue(current)}, set{' '}
          <RelativeTime at={current.updatedAt} /> by {current.updatedBy.name}. Your edits are still in the form.
        </Text>
        <Button variant="default" onClick={onKeep}>
          Keep my edits
        </Button>
      </Stack>
    </Alert>
  );
}

/**
 * The URL contains the name, so the server's error about it points to the whole body. Moves this error to the field of
 * the name.
 */
function moveNameError(
  form: { setFieldError: (path: 'key', message: string) => void },
  problem: ApiProblem | null,
): ApiProblem | null {
  const nameError = problem?.errors.find(({ code }) => code === 'invalid_name');
  if (!nameError) return problem;
  form.setFieldError('key', nameError.message);
  return null;
}
