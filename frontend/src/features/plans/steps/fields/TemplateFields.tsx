import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { templateChoicesQuery } from '../../../../api/queries/library/templates';
import { NameField } from '../../names/NameField';
import type { Names } from '../../names/names';
import { BackupField, OwnerFields, PathField, type PlaceField, type PlaceProps, type TextProps } from './PlaceFields';

type Props = PlaceProps<'templateId' | 'validate' | PlaceField> & { names: Names };

export function TemplateFields({ input, names, readOnly }: Props) {
  const { data, error } = useQuery(templateChoicesQuery);
  const templates = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const { error: fieldError, ...chosen } = input('templateId') as { error?: string };
  return (
    <>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <Select
          label="Template"
          description="A run uses the latest revision at its start."
          withAsterisk
          searchable
          data={templates}
          readOnly={readOnly}
          error={fieldError ?? (error ? 'The templates could not be loaded.' : undefined)}
          {...chosen}
        />
        <PathField input={input} names={names} readOnly={readOnly} />
      </Group>
      <OwnerFields input={input} readOnly={readOnly} />
      <NameField
        names={names}
        grammar="text"
        multiline
        label="Validate"
        description="Command that validates the new file; %s is its path. If it fails, the old file stays."
        placeholder="nginx -t -c %s"
        minRows={1}
        maxRows={6}
        readOnly={readOnly}
        {...(input('validate') as TextProps)}
      />
      <BackupField input={input} readOnly={readOnly} />
    </>
  );
}
