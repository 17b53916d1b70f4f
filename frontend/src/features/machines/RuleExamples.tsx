import { Anchor, Button, Code, Group, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { EXAMPLES, type ProviderExample } from './rule-form';

interface Props {
  onChoose: (issuer: string, subject: string) => void;
}

/** Shows examples of issuers and subjects. A click copies one to the form. */
export function RuleExamples({ onChoose }: Props) {
  const [provider, setProvider] = useState<ProviderExample | null>(null);
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
            aria-expanded={provider === example}
            onClick={() => setProvider(provider === example ? null : example)}
          >
            {example.name}
          </Button>
        ))}
      </Group>
      {provider && (
        <Table aria-label={`Subjects of ${provider.name}`} withRowBorders={false}>
          <Table.Tbody>
            {provider.subjects.map(([subject, meaning]) => (
              <Table.Tr key={subject}>
                <Table.Td>
                  <Code className="rw-wrap-anywhere">{subject}</Code>
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
                    onClick={() => onChoose(provider.issuer, subject)}
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
