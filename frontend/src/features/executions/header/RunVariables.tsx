import { Group, Text } from '@mantine/core';
import type { Execution } from '../../../api/types';

const SOURCES: Record<Execution['variableSources'][string], string> = {
  plan: 'plan default',
  environment: 'environment',
  start: 'start',
  schedule: 'schedule',
  rerun: 'original run',
};

/** Values with which the run was started, with their sources. The server masks secrets. */
export function RunVariables({ run: { variables, variableSources } }: { run: Execution }) {
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
          {variableSources[name] && (
            <Text span c="dimmed" size="xs">
              {' '}
              ({SOURCES[variableSources[name]]})
            </Text>
          )}
        </Text>
      ))}
    </Group>
  );
}
