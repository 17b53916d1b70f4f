import { ActionIcon, Button, Chip, Group, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { NEW_BLACKOUT, NEW_SPAN, WEEK, type WindowsForm } from './windows-form';

type Form = UseFormReturnType<WindowsForm>;

export function SpanFields({ form, disabled }: { form: Form; disabled: boolean }) {
  return (
    <Stack gap="sm">
      {form.values.open.map((span, index) => (
        <Group key={index} gap="sm" align="flex-end" role="group" aria-label={`Hours ${index + 1}`}>
          <Stack gap={4}>
            <Text size="sm" fw={500}>
              Start days
            </Text>
            <Chip.Group multiple value={span.days} onChange={(days) => form.setFieldValue(`open.${index}.days`, days)}>
              <Group gap={4}>
                {WEEK.map(({ value, short, label }) => (
                  <Chip key={value} value={value} size="xs" disabled={disabled} aria-label={label}>
                    {short}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
            {form.errors[`open.${index}.days`] && (
              <Text size="xs" c="var(--mantine-color-error)">
                {form.errors[`open.${index}.days`]}
              </Text>
            )}
          </Stack>
          <TextInput label="From" w={90} placeholder="20:00" {...form.getInputProps(`open.${index}.from`)} />
          <TextInput label="To" w={90} placeholder="06:00" {...form.getInputProps(`open.${index}.to`)} />
          {form.values.open.length > 1 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              disabled={disabled}
              aria-label={`Remove hours ${index + 1}`}
              onClick={() => form.removeListItem('open', index)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        className="rw-align-start"
        disabled={disabled}
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => form.insertListItem('open', NEW_SPAN)}
      >
        Add hours
      </Button>
    </Stack>
  );
}

/** Period without runs, regardless of the open hours. */
export function BlackoutFields({ form, disabled }: { form: Form; disabled: boolean }) {
  return (
    <Stack gap="sm">
      {form.values.blackouts.map((_, index) => (
        <Group key={index} gap="sm" align="flex-end" role="group" aria-label={`Blackout ${index + 1}`}>
          <TextInput type="datetime-local" label="From" {...form.getInputProps(`blackouts.${index}.from`)} />
          <TextInput type="datetime-local" label="To" {...form.getInputProps(`blackouts.${index}.to`)} />
          <TextInput
            label="Reason"
            placeholder="Christmas"
            maxLength={200}
            flex="1 1 160px"
            {...form.getInputProps(`blackouts.${index}.reason`)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            disabled={disabled}
            aria-label={`Remove blackout ${index + 1}`}
            onClick={() => form.removeListItem('blackouts', index)}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        className="rw-align-start"
        disabled={disabled}
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => form.insertListItem('blackouts', NEW_BLACKOUT)}
      >
        Add blackout
      </Button>
    </Stack>
  );
}
