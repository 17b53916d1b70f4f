import { PasswordInput, Select, TagsInput, TextInput } from '@mantine/core';
import type { PlanVariable, ResolvedVariable } from '../../api/types';
import { fieldTexts } from './field-texts';
import { NumberField } from './NumberField';
import { hasValue, type TypedValue } from './typed-value';

interface Props {
  variable: PlanVariable;
  value: TypedValue;
  /** Value that applies if none is set here; undefined = still loading. */
  resolved: ResolvedVariable | undefined;
  error?: string;
  readOnly?: boolean;
  onChange: (value: TypedValue) => void;
}

const YES_NO = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
];

const textOf = (value: TypedValue): string => (value === null || Array.isArray(value) ? '' : String(value));

export function StartVariableField({ variable, value, resolved, error, readOnly = false, onChange }: Props) {
  const { type, choices = [] } = variable;
  const { isRequired, problem, ...texts } = fieldTexts(variable, value, resolved);
  const common = { ...texts, error: error ?? problem, readOnly, withAsterisk: isRequired };
  switch (type) {
    case 'integer':
    case 'number':
      return <NumberField {...common} value={value} onChange={onChange} allowDecimal={type === 'number'} />;
    case 'boolean':
      return (
        <Select
          {...common}
          data={YES_NO}
          value={typeof value === 'boolean' ? String(value) : null}
          onChange={(next) => onChange(next === null ? null : next === 'true')}
          clearable
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          data={choices}
          value={textOf(value) || null}
          onChange={(next) => onChange(next ?? '')}
          clearable
        />
      );
    case 'list':
      return (
        <TagsInput
          {...common}
          placeholder={(hasValue(value) ? undefined : texts.placeholder) ?? 'Press Enter after each value'}
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
