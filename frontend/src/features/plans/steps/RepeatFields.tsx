import { Group, SegmentedControl, Select, Stack, TagsInput, Text } from '@mantine/core';
import type { StepFieldsProps } from './step-field';

const CHOICES = [
  { value: 'once', label: 'Once' },
  { value: 'items', label: 'For each item here' },
  { value: 'variable', label: 'For each item of a variable' },
];

/** Whether a step runs once for each item of a list. */
export function RepeatFields({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const step = form.values.steps[index];
  const lists = form.values.variables.flatMap(({ name, type }) => (type === 'list' && name !== '' ? [name] : []));
  const error = form.errors[`${at}.forEach`] ?? form.errors[`${at}.forEach.0`];
  const told = typeof error === 'string' ? error : undefined;
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        How often
      </Text>
      <Group gap="sm" align="flex-start">
        <SegmentedControl
          aria-label="How often"
          data={CHOICES}
          disabled={readOnly}
          {...form.getInputProps(`${at}.repeats`)}
        />
        {step?.repeats === 'items' && (
          <TagsInput
            aria-label="Items"
            placeholder="Each is {{ item }}"
            allowDuplicates
            acceptValueOnBlur
            splitChars={[]}
            flex={1}
            miw={220}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.items`)}
            error={told}
          />
        )}
        {step?.repeats === 'variable' && (
          <Select
            aria-label="List"
            placeholder={lists.length > 0 ? 'Choose a variable' : 'The plan has no variable of the type list'}
            data={[...new Set([...lists, ...(step.listName ? [step.listName] : [])])]}
            flex={1}
            miw={220}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.listName`)}
            error={told}
          />
        )}
      </Group>
      {step?.repeats !== 'once' && (
        <Text size="xs" c="dimmed">
          {'{{ item }}'} is the item, and $item in the command’s environment. A run has a step for each.
        </Text>
      )}
    </Stack>
  );
}
