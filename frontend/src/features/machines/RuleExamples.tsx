import { Anchor, Button, Code, Group, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { EXAMPLES, type ProviderExample } from './rule-form';

interface Props {
  onTake: (issuer: string, subject: string) => void;
}

/** How the tokens of known providers look; one click takes issuer and subject over. */
export function RuleExamples({ onTake }: Props) {
  const [shown, setShown] = useState<ProviderExample | null>(null);
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          Examples:
        </Text>
        {EXAMPLES.map((example) => (
          <Button
            key={example.name}
            variant="default"
            aria-expanded={shown === example}
            onClick={() => setShown(shown === example ? null : example)}
          >
            {example.name}
          </Button>
        ))}
      </Group>
      {shown && (
        <Table aria-label={`Subjects of ${shown.name}`} withRowBorders={false}>
          <Table.Tbody>
            {shown.subjects.map(([subject, meaning]) => (
              <Table.Tr key={subject}>
                <Table.Td>
                  <Code style={{ overflowWrap: 'anywhere' }}>{subject}</Code>
                  <Text size="xs" c="dimmed">
                    {meaning}
                  </Text>
                </Table.Td>
                <Table.Td align="right">
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    aria-label={`Use ${subject}`}
                    onClick={() => onTake(shown.issuer, subject)}
                  >
                    Use
                  </Anchor>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
