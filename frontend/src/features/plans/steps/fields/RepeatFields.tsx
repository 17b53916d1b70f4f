import { Group, SegmentedControl, Select, Stack, TagsInput, Text } from '@mantine/core';
import type { StepFieldsProps } from './step-field';

const CHOICES = [
  { value: 'once', label: 'Once' },
  { value: 'items', label: 'For each listed item' },
  { value: 'variable', label: 'For each item of a variable' },
];

export function RepeatFields({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const step = form.values.steps[index];
  const lists = form.values.variables.flatMap(({ name, type }) => (type === 'list' && name !== '' ? [name] : []));
  const error = form.errors[`${at}.forEach`] ?? form.errors[`${at}.forEach.0`];
  const message = typeof error === 'string' ? error : undefined;
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        Repetition
      </Text>
      <Group gap="sm" align="flex-start">
        <SegmentedControl
          aria-label="Repetition"
          data={CHOICES}
          disabled={readOnly}
          {...form.getInputProps(`${at}.repeats`)}
        />
        {step?.repeats === 'items' && (
          <TagsInput
            aria-label="Items"
            placeholder="Available as {{ item }}"
            allowDuplicates
            acceptValueOnBlur
            splitChars={[]}
            flex={1}
            miw={220}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.items`)}
            error={message}
          />
        )}
        {step?.repeats === 'variable' && (
          <Select
            aria-label="List"
            placeholder={lists.length > 0 ? 'Choose a variable' : 'The plan has no list variable'}
            data={[...new Set([...lists, ...(step.listName ? [step.listName] : [])])]}
            flex={1}
            miw={220}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.listName`)}
            error={message}
          />
        )}
      </Group>
      {step?.repeats !== 'once' && (
        <Text size="xs" c="dimmed">
          {'{{ item }}'} is the current item, also available to commands as $item. A run has one step per item.
        </Text>
      )}
    </Stack>
  );
}
