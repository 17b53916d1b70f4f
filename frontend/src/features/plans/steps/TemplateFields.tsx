import { Checkbox, Group, Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { templateChoicesQuery } from '../../../api/queries/library/templates';

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

interface Props {
  /** The form's input props for a field of the step. */
  input: (
    field: 'templateId' | 'path' | 'owner' | 'group' | 'mode' | 'backup' | 'validate',
    options?: { type: 'checkbox' },
  ) => object;
  readOnly: boolean;
}

export function TemplateFields({ input, readOnly }: Props) {
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
        <TextInput
          label="Path"
          description="Whole path of the file on the host."
          placeholder="/etc/app.conf"
          withAsterisk
          styles={MONO}
          readOnly={readOnly}
          {...input('path')}
        />
      </Group>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <TextInput label="Owner" placeholder="Stays" readOnly={readOnly} {...input('owner')} />
        <TextInput label="Group" placeholder="Stays" readOnly={readOnly} {...input('group')} />
        <TextInput
          label="Mode"
          placeholder="Stays, such as 0644"
          styles={MONO}
          readOnly={readOnly}
          {...input('mode')}
        />
      </Group>
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
      <Checkbox
        label="Keep a file that is replaced beside it"
        disabled={readOnly}
        {...input('backup', { type: 'checkbox' })}
      />
    </>
  );
}
