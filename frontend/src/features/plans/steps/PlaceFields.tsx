import { Checkbox, Group, TextInput } from '@mantine/core';
import { NameField } from '../names/NameField';
import type { Names } from '../names/names';

export const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

/** Fields of a step about the file that it writes. */
export type PlaceField = 'path' | 'owner' | 'group' | 'mode' | 'backup';

export interface PlaceProps<Field extends string> {
  /** The form's input props for a field of the step. */
  input: (field: Field, options?: { type: 'checkbox' }) => object;
  readOnly: boolean;
}

/** Input props of a field of text. */
export interface TextProps {
  value: string;
  onChange: (text: string) => void;
}

/** Where a file is put on the host. */
export function PathField({ input, names, readOnly }: PlaceProps<PlaceField> & { names: Names }) {
  return (
    <NameField
      names={names}
      grammar="argument"
      label="Path"
      description="Whole path of the file on the host. {{ name }} puts a value in."
      placeholder="/etc/app.conf"
      withAsterisk
      readOnly={readOnly}
      {...(input('path') as TextProps)}
    />
  );
}

/** Whom the file belongs to. */
export function OwnerFields({ input, readOnly }: PlaceProps<PlaceField>) {
  return (
    <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
      <TextInput label="Owner" placeholder="Stays" readOnly={readOnly} {...input('owner')} />
      <TextInput label="Group" placeholder="Stays" readOnly={readOnly} {...input('group')} />
      <TextInput label="Mode" placeholder="Stays, such as 0644" styles={MONO} readOnly={readOnly} {...input('mode')} />
    </Group>
  );
}

/** What becomes of the file before. */
export function BackupField({ input, readOnly }: PlaceProps<PlaceField>) {
  return (
    <Checkbox
      label="Keep a file that is replaced beside it"
      size="md"
      disabled={readOnly}
      {...input('backup', { type: 'checkbox' })}
    />
  );
}
