import { Checkbox, Group, TextInput } from '@mantine/core';
import { NameField } from '../../names/NameField';
import type { Names } from '../../names/names';

export const MONO = { input: 'rw-mono' };

export type PlaceField = 'path' | 'owner' | 'group' | 'mode' | 'backup';

export interface PlaceProps<Field extends string> {
  /** Returns the form's input props for a field of the step. */
  input: (field: Field, options?: { type: 'checkbox' }) => object;
  readOnly: boolean;
}

export interface TextProps {
  value: string;
  onChange: (text: string) => void;
}

export function PathField({ input, names, readOnly }: PlaceProps<PlaceField> & { names: Names }) {
  return (
    <NameField
      names={names}
      grammar="argument"
      label="Path"
      description="Absolute path on the host. {{ name }} inserts a value."
      placeholder="/etc/app.conf"
      withAsterisk
      readOnly={readOnly}
      {...(input('path') as TextProps)}
    />
  );
}

export function OwnerFields({ input, readOnly }: PlaceProps<PlaceField>) {
  return (
    <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
      <TextInput label="Owner" placeholder="Unchanged" readOnly={readOnly} {...input('owner')} />
      <TextInput label="Group" placeholder="Unchanged" readOnly={readOnly} {...input('group')} />
      <TextInput
        label="Mode"
        placeholder="Unchanged, or such as 0644"
        classNames={MONO}
        readOnly={readOnly}
        {...input('mode')}
      />
    </Group>
  );
}

export function BackupField({ input, readOnly }: PlaceProps<PlaceField>) {
  return (
    <Checkbox
      label="Keep a backup of the replaced file"
      size="md"
      disabled={readOnly}
      {...input('backup', { type: 'checkbox' })}
    />
  );
}
