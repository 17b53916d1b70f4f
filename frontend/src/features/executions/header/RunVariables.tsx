import { Group, Text } from '@mantine/core';
import type { Execution } from '../../../api/types';

/** Values with which the run was started. The server masks secrets. */
export function RunVariables({ variables }: { variables: Execution['variables'] }) {
  const entries = Object.entries(variables);
  if (entries.length === 0) return null;
  return (
    <Group gap="4px 16px" mb="md" aria-label="Variables" role="group">
      {entries.map(([name, value]) => (
        <Text key={name} component="span" className="rw-mono rw-wrap-anywhere">
          <Text span c="dimmed" inherit>
            {name}=
          </Text>
          {Array.isArray(value) ? value.join(', ') : String(value)}
        </Text>
      ))}
    </Group>
  );
}
