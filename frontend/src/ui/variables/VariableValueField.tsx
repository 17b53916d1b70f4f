import { NumberInput, PasswordInput, SegmentedControl, TagsInput, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Variable } from '../../api/types';
import type { VariableForm } from './variable-form';

const YES_NO = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
];
const mono = { input: 'rw-mono-family' };

interface Props {
  form: UseFormReturnType<VariableForm>;
  /** Variable that is replaced; null = a new one. */
  stored: Variable | null;
}

export function VariableValueField({ form, stored }: Props) {
  const { type, secret } = form.values;
  const common = {
    label: 'Value',
    error: form.errors.value,
    description: stored?.secret ? 'Replaces the stored value, which cannot be shown.' : undefined,
  };
  switch (type) {
    case 'integer':
    case 'number':
      return (
        <NumberInput
          {...common}
          {...form.getInputProps('number')}
          error={common.error}
          allowDecimal={type === 'number'}
        />
      );
    case 'boolean':
      return <SegmentedControl aria-label="Value" data={YES_NO} {...form.getInputProps('flag')} />;
    case 'list':
      return (
        <TagsInput
          {...common}
          {...form.getInputProps('list')}
          error={common.error}
          placeholder="Press Enter after each value"
          allowDuplicates
          acceptValueOnBlur
        />
      );
    case 'secret':
    case 'string':
      return secret || type === 'secret' ? (
        <PasswordInput {...common} autoComplete="off" {...form.getInputProps('text')} error={common.error} />
      ) : (
        <Textarea
          {...common}
          autosize
          maxRows={10}
          spellCheck={false}
          classNames={mono}
          {...form.getInputProps('text')}
          error={common.error}
        />
      );
  }
}
