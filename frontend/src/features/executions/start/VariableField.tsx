import { NumberInput, PasswordInput, Select, TagsInput, TextInput } from '@mantine/core';
import type { PlanVariable, ResolvedVariable } from '../../../api/types';
import { sourceInWords, valueInWords } from './resolved-words';
import { isGiven, type Typed } from './start-request';

interface Props {
  variable: PlanVariable;
  value: Typed;
  /** What counts while nothing is given here; undefined while it is not known yet. */
  resolved: ResolvedVariable | undefined;
  error?: string;
  readOnly?: boolean;
  onChange: (value: Typed) => void;
}

const YES_NO = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
];

const textOf = (value: Typed): string => (value === null || Array.isArray(value) ? '' : String(value));

/** The input that fits a variable's type. */
export function VariableField({ variable, value, resolved, error, readOnly = false, onChange }: Props) {
  const { name, type, required, description, choices = [], pattern, default: preset } = variable;
  const given = isGiven(value);
  const source = resolved ? sourceInWords(resolved, given) : undefined;
  const fallback = (resolved && valueInWords(resolved)) || undefined;
  const common = {
    label: name,
    description: [description || (pattern && `Must match ${pattern}`), source].filter(Boolean).join(' · ') || undefined,
    // What is still missing is no fault yet; a value from elsewhere that can't be used is.
    error: error ?? (given || !resolved?.source ? undefined : (resolved.problem ?? undefined)),
    placeholder: fallback,
    readOnly,
    withAsterisk: required && (resolved ? resolved.source === null : preset === undefined),
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
          placeholder={given ? 'Enter after each value' : (fallback ?? 'Enter after each value')}
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
