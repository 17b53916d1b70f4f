import { Button, Checkbox, Fieldset, Group, Input, SimpleGrid, Stack, Text } from '@mantine/core';
import type { WebhookEvent } from '../../api/types';
import { EVENT_GROUPS, toggledGroup } from './events';

interface Props {
  value: WebhookEvent[];
  onChange: (value: WebhookEvent[]) => void;
  error?: React.ReactNode;
}

export function EventChoice({ value, onChange, error }: Props) {
  const toggle = (type: WebhookEvent, on: boolean) =>
    onChange(on ? [...value, type] : value.filter((each) => each !== type));
  return (
    <Stack gap={6}>
      <Input.Label labelElement="div" required>
        Events
      </Input.Label>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {EVENT_GROUPS.map(({ title, hint, events }) => {
          const all = events.every(({ type }) => value.includes(type));
          return (
            <Fieldset key={title} legend={title} p="sm" miw={0}>
              <Stack gap={8}>
                {events.map(({ type, words }) => (
                  <Checkbox
                    key={type}
                    label={words}
                    description={<span className="rw-mono">{type}</span>}
                    checked={value.includes(type)}
                    onChange={(event) => toggle(type, event.currentTarget.checked)}
                  />
                ))}
                {hint && (
                  <Text size="xs" c="dimmed">
                    {hint}
                  </Text>
                )}
                {events.length > 1 && (
                  <Group>
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`${all ? 'None' : 'All'} of ${title}`}
                      onClick={() => onChange(toggledGroup(value, events))}
                    >
                      {all ? 'None' : 'All'}
                    </Button>
                  </Group>
                )}
              </Stack>
            </Fieldset>
          );
        })}
      </SimpleGrid>
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  );
}
