import { Group, Select, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { templateChoicesQuery } from '../../../api/queries/library/templates';
import { BackupField, MONO, OwnerFields, PathField, type PlaceField, type PlaceProps } from './PlaceFields';

export function TemplateFields({ input, readOnly }: PlaceProps<'templateId' | 'validate' | PlaceField>) {
  const { data, error } = useQuery(templateChoicesQuery);
  const templates = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const { error: fieldError, ...chosen } = input('templateId') as { error?: string };
  return (
    <>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <Select
          label="Template"
          description="A run takes its latest revision when it starts."
          withAsterisk
          searchable
          data={templates}
          readOnly={readOnly}
          error={fieldError ?? (error ? 'The templates could not be loaded.' : undefined)}
          {...chosen}
        />
        <PathField input={input} readOnly={readOnly} />
      </Group>
      <OwnerFields input={input} readOnly={readOnly} />
      <Textarea
        label="Validate"
        description="A command that looks at the new file, whose path %s stands for. Where it fails, the old file stays."
        placeholder="nginx -t -c %s"
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        styles={MONO}
        readOnly={readOnly}
        {...input('validate')}
      />
      <BackupField input={input} readOnly={readOnly} />
    </>
  );
}
