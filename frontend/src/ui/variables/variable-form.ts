import type { Variable, StoredVariableType, PutVariableRequest } from '../../api/types';

export const TYPE_NAMES: Record<StoredVariableType, string> = {
  string: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'True or false',
  list: 'List',
  secret: 'Secret text',
};

export interface VariableForm {
  key: string;
  type: StoredVariableType;
  secret: boolean;
  text: string;
  number: number | string;
  flag: string;
  list: string[];
}

/** Returns the initial values of the dialog. The browser does not know secret values. */
export function formOf(current: Variable | null): VariableForm {
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

function valueOf(type: StoredVariableType, { text, number, flag, list }: Omit<VariableForm, 'type' | 'secret'>) {
  if (type === 'list') return list;
  if (type === 'boolean') return flag === 'true';
  // Sends an invalid number unchanged, so that the server reports the error on the field.
  return type === 'integer' || type === 'number' ? number : text;
}

export function formatValue({ value }: Pick<Variable, 'value'>): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.length === 0 ? '(empty list)' : value.join(', ');
  return value === '' ? '(empty)' : String(value);
}
