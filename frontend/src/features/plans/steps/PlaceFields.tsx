import { Checkbox, Group, TextInput } from '@mantine/core';

export const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

/** Fields of a step about the file that it writes. */
export type PlaceField = 'path' | 'owner' | 'group' | 'mode' | 'backup';

export interface PlaceProps<Field extends string> {
  /** The form's input props for a field of the step. */
  input: (field: Field, options?: { type: 'checkbox' }) => object;
  readOnly: boolean;
}

/** Where a file is put on the host. */
export function PathField({ input, readOnly }: PlaceProps<PlaceField>) {
  return (
    <TextInput
      label="Path"
      description="Whole path of the file on the host."
      placeholder="/etc/app.conf"
      withAsterisk
      styles={MONO}
      readOnly={readOnly}
      {...input('path')}
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
