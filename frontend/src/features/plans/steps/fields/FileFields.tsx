import { Group, TextInput } from '@mantine/core';
import { GitSourceSelect } from '../../../../ui/git/GitSourceSelect';
import type { Names } from '../../names/names';
import { BackupField, MONO, OwnerFields, PathField, type PlaceField, type PlaceProps } from './PlaceFields';

type Props = PlaceProps<'gitSourceId' | 'sourcePath' | 'ref' | PlaceField> & { names: Names };

export function FileFields({ input, names, readOnly }: Props) {
  return (
    <>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <GitSourceSelect
          description="A run uses the latest commit at its start."
          readOnly={readOnly}
          {...input('gitSourceId')}
        />
        <TextInput
          label="File"
          description="Path from the root of the repository."
          placeholder="etc/app.conf"
          withAsterisk
          classNames={MONO}
          readOnly={readOnly}
          {...input('sourcePath')}
        />
        <TextInput
          label="Branch, tag or commit"
          description="Empty: branch of the source."
          classNames={MONO}
          readOnly={readOnly}
          {...input('ref')}
        />
      </Group>
      <PathField input={input} names={names} readOnly={readOnly} />
      <OwnerFields input={input} readOnly={readOnly} />
      <BackupField input={input} readOnly={readOnly} />
    </>
  );
}
