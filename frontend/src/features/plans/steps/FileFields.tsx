import { Group, TextInput } from '@mantine/core';
import { GitSourceSelect } from '../../../ui/git/GitSourceSelect';
import type { Names } from '../names/names';
import { BackupField, MONO, OwnerFields, PathField, type PlaceField, type PlaceProps } from './PlaceFields';

type Props = PlaceProps<'gitSourceId' | 'sourcePath' | 'ref' | PlaceField> & { names: Names };

/** What a step puts on its hosts from a git source, and where. */
export function FileFields({ input, names, readOnly }: Props) {
  return (
    <>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <GitSourceSelect
          description="A run takes the file when it starts, and holds to its commit."
          readOnly={readOnly}
          {...input('gitSourceId')}
        />
        <TextInput
          label="File"
          description="Path from the top of the repository."
          placeholder="etc/app.conf"
          withAsterisk
          styles={MONO}
          readOnly={readOnly}
          {...input('sourcePath')}
        />
        <TextInput
          label="Branch, tag or commit"
          description="Empty: the branch of the source."
          styles={MONO}
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
