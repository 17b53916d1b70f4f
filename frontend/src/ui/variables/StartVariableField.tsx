import { NumberInput, PasswordInput, Select, TagsInput, TextInput } from '@mantine/core';
import type { PlanVariable, ResolvedVariable } from '../../api/types';
import { describeServers, describeSource, formatValue, serverProblem } from './resolved-variable';
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
  const { name, type, required, description, choices = [], pattern, default: defaultValue } = variable;
  const given = hasValue(value);
  const source = resolved ? describeSource(resolved, given) : undefined;
  const servers = resolved && describeServers(resolved, given);
  const inherited = resolved && ((resolved.source ? resolved.problem : null) ?? serverProblem(resolved));
  const fallback = (resolved && formatValue(resolved)) || undefined;
  const common = {
    label: name,
    description:
      [description || (pattern && `Must match ${pattern}`), source, servers].filter(Boolean).join(' · ') || undefined,
    // A missing value is not shown as an error yet. An invalid inherited value is.
    error: error ?? (given ? undefined : (inherited ?? undefined)),
    placeholder: fallback,
    readOnly,
    withAsterisk:
      required && (resolved ? resolved.source === null && resolved.problem !== null : defaultValue === undefined),
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
          placeholder={given ? 'Press Enter after each value' : (fallback ?? 'Press Enter after each value')}
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
