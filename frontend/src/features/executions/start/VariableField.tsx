import { NumberInput, PasswordInput, Select, TagsInput, TextInput } from '@mantine/core';
import type { PlanVariable } from '../../../api/types';
import type { Typed } from './start-request';

interface Props {
  variable: PlanVariable;
  value: Typed;
  error?: string;
  onChange: (value: Typed) => void;
}

const YES_NO = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
];

const textOf = (value: Typed): string => (value === null || Array.isArray(value) ? '' : String(value));

/** The input that fits a variable's type. */
export function VariableField({ variable, value, error, onChange }: Props) {
  const { name, type, required, description, choices = [], pattern, default: preset } = variable;
  const common = {
    label: name,
    description: description || (pattern ? `Must match ${pattern}` : undefined),
    error,
    withAsterisk: required && preset === undefined,
  };
  switch (type) {
    case 'integer':
    case 'number':
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => onChange(typeof next === 'number' ? next : '')}
          allowDecimal={type === 'number'}
        />
      );
    case 'boolean':
      return (
        <Select
          {...common}
          data={YES_NO}
          value={value === null ? null : String(value)}
          onChange={(next) => onChange(next === null ? null : next === 'true')}
          clearable={!required}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          data={choices}
          value={textOf(value) || null}
          onChange={(next) => onChange(next ?? '')}
          clearable={!required}
        />
      );
    case 'list':
      return (
        <TagsInput
          {...common}
          placeholder="Enter after each value"
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={onChange}
          allowDuplicates
          acceptValueOnBlur
        />
      );
    case 'secret':
      return (
        <PasswordInput
          {...common}
          autoComplete="new-password"
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'string':
      return <TextInput {...common} value={textOf(value)} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
}
