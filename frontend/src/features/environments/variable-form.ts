import type { EnvironmentVariable, EnvironmentVariableType, PutVariableRequest } from '../../api/types';

export const TYPE_CHOICES: { value: EnvironmentVariableType; label: string }[] = [
  { value: 'string', label: 'Text' },
  { value: 'integer', label: 'Whole number' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'True or false' },
  { value: 'list', label: 'List' },
  { value: 'secret', label: 'Secret text' },
];

export const typeName = (type: EnvironmentVariableType): string =>
  TYPE_CHOICES.find(({ value }) => value === type)?.label ?? type;

export interface VariableForm {
  key: string;
  type: EnvironmentVariableType;
  secret: boolean;
  text: string;
  number: number | string;
  flag: string;
  list: string[];
}

/** What the dialog begins with. A secret's value is not known: it is typed anew or left as it is. */
export function formOf(current: EnvironmentVariable | null): VariableForm {
  const value = current?.value ?? null;
  return {
    key: current?.key ?? '',
    type: current?.type ?? 'string',
    secret: current?.secret ?? false,
    text: typeof value === 'string' ? value : '',
    number: typeof value === 'number' ? value : '',
    flag: String(value === true),
    list: Array.isArray(value) ? value.map(String) : [],
  };
}

export const toRequest = ({ type, secret, ...typed }: VariableForm): PutVariableRequest => ({
  type,
  secret: secret || type === 'secret',
  value: valueOf(type, typed),
});

function valueOf(type: EnvironmentVariableType, { text, number, flag, list }: Omit<VariableForm, 'type' | 'secret'>) {
  if (type === 'list') return list;
  if (type === 'boolean') return flag === 'true';
  // What is no number yet goes as it was typed: the server says what is wrong with it.
  return type === 'integer' || type === 'number' ? number : text;
}

/** A value for reading. */
export function valueInWords({ value }: Pick<EnvironmentVariable, 'value'>): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.length === 0 ? '(empty list)' : value.join(', ');
  return value === '' ? '(empty)' : String(value);
}
